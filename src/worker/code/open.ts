import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { CodeBusy } from '#codemode/port.ts'
import type { CodeApi, CodeHands, CodeMode } from '#codemode/port.ts'
import type { Config } from '#config/config.ts'
import type { Principal } from '#contract/access.ts'
import type { ExecuteCode } from '#contract/execute.ts'
import { openAuditBook } from '#db/audit-book.ts'
import type { MadeCall } from '#db/code-calls.ts'
import { codeNote } from '#db/code-note.ts'
import type { Listener } from '#db/listen.ts'
import type { DatabasePool } from '#db/pool.ts'
import { failedResult, isTheirRun } from '#domain/code-run.ts'
import { grantsFor } from '#domain/code-capabilities.ts'
import { checkMemory } from '#domain/code-memory.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import type { Caller } from '#tools/port.ts'
import type { MachineTools } from '../tools/machine-tools.ts'
import { drive } from './drive.ts'
import type { Drive } from './drive.ts'
import { openEndings } from './endings.ts'
import { openFreezer } from './freezer.ts'
import type { CodeAnswer, CodeEars, MachineCode } from './machine-code.ts'
import { openCodeMetrics } from './metrics.ts'
import { clockAndSeed } from './reach/clock-and-seed.ts'
import { openReach } from './reach/open-reach.ts'
import { isRepeatable } from './repeatable.ts'
import { openLogs } from './results.ts'
import { openTakeUps } from './take-ups.ts'

export interface MachineCodeNeeds {
  pool: DatabasePool
  machineId: string
  listener: Listener
  config: () => Config
  tools: () => Promise<MachineTools>
  codeMode: CodeMode
  log: Logger
  /** How often runs are looked for whose bell nobody has heard, or whose machine is gone. */
  lookMs?: number
  /** How long calls of runs that were put away before may still take when the worker stops. */
  graceMs?: number
}

const usualGraceMs = 2_000

/** A run that is driven here. */
export interface RunHere {
  id: string
  by: Principal
  executionId: string | null
  drive: Drive
  /** It was put away before: it is in the database. */
  isStored: boolean
}

/** Who runs what, with everything that it can reach. */
export interface RunFacts {
  id: string
  by: Principal
  caller: Caller
  wanted: ExecuteCode
  grants: CodeGrants
  lines: string[]
}

/** Code mode of this machine: runs, those that wait for people, and those that other machines have left behind. */
export function openMachineCode(needs: MachineCodeNeeds): MachineCode {
  const { pool, machineId, config, tools, codeMode } = needs
  const book = openAuditBook(pool.db)
  const here = new Map<string, RunHere>()
  const metrics = openCodeMetrics(() => codeMode.load(), machineId)
  const freezer = openFreezer(needs)
  const endings = openEndings({ ...needs, here, metrics })

  /** All that a run needs from outside, but how it is put away. */
  async function handsOf({ id, by, caller, wanted, grants, lines }: RunFacts) {
    const { registry } = await tools()
    const apiNow = () => codeMode.api(registry.list(inCode(caller)))
    const api = apiNow()
    const reach = openReach(
      { registry, observe: (tool, result) => codeMode.observe(tool, result), config },
      { runId: id, caller, api, apiNow, grants },
    )
    const hands = {
      codeMode,
      id,
      reach,
      log: needs.log,
      owner: ownerOf(by),
      logs: openLogs(lines),
      tell: endings.tellOf(id),
      isRepeatable: (made: MadeCall, signal: AbortSignal) =>
        isRepeatable(made, { registry, caller, toolOf: (name) => reach.toolOf(name, signal) }),
      answers: (ids: readonly string[]) => freezer.answers(ids),
    }
    return { hands, api, reach, wanted }
  }

  const inCode = (caller: Caller): Caller => ({ ...caller, inCode: { runId: newId(), call: 0 } })

  /** All that the caller has, whatever this code was granted: what it calls beyond that is told by its capability, not as a tool that is not there. */
  async function apiOf(caller: Caller): Promise<CodeApi> {
    const { registry } = await tools()
    return codeMode.api(registry.list(inCode(caller)))
  }

  async function execute(by: Principal, wanted: ExecuteCode, ears: CodeEars): Promise<CodeAnswer> {
    const { signal, requestId: id = newId() } = ears
    const { callerOf } = await tools()
    const { sessionId, confirm } = wanted
    checkMemory(wanted.memoryLimit, config().sandbox.limits.memory)
    const caller = await callerOf(by, { sessionId, confirmed: confirm })
    const granted = grantsFor({
      asked: wanted.capabilities,
      by,
      hasSession: caller.sessionId !== undefined,
      limits: config().capabilities,
    })
    const lines: string[] = []
    if (!granted.isGranted) {
      const { message, details } = granted
      const error = { type: 'security', code: 'CAPABILITY_VIOLATION', message, details } as const
      return ended({ id, by, caller, wanted }, failedResult({ id, logs: lines }, error), {})
    }
    const facts = { id, by, caller, wanted, grants: granted.grants, lines }
    const { hands, api, reach } = await handsOf(facts)
    signal.throwIfAborted()
    if (here.has(id)) throw new Problem('does_not_fit', `There is a run ${id} already`)
    const quiet = endings.hear(id, ears)
    const executionId = caller.kind === 'agent' ? caller.executionId : null
    const begun = (codeHands: CodeHands) => codeMode.run(askedOf(facts, api), codeHands)
    const store: Parameters<typeof drive>[0]['store'] = (frozen, lastCall, waiting, stop) =>
      freezer.store(facts, undefined, { frozen, lastCall, waiting, signal: stop })
    const run = admitted(() => drive({ ...hands, store }, { begun }))
    const hangUp = () => run.cancel('Nobody waited for it any more')
    here.set(id, { id, by, executionId, drive: run, isStored: false })
    signal.addEventListener('abort', hangUp, { once: true })
    if (signal.aborted) hangUp()
    let isFrozen = false
    try {
      const how = await run.done
      isFrozen = how === 'frozen'
      if (how === 'lost') throw stoppedMeanwhile(id)
      if (how !== 'frozen') return { ...how, ...(await ended(facts, how.result, reach.reached())) }
      metrics.frozen()
      return { waiting: { requestId: id, approvals: await freezer.waitingOf(id) } }
    } finally {
      signal.removeEventListener('abort', hangUp)
      here.delete(id)
      quiet()
      if (isFrozen) takeUps.look() // it may have been answered while it was put away
    }
  }

  function askedOf({ id, by, wanted, grants }: RunFacts, api: CodeApi) {
    const { limits } = config().sandbox
    return {
      owner: ownerOf(by),
      code: wanted.code,
      isTypeScript: wanted.typescript,
      isChecked: wanted.check && wanted.typescript,
      api,
      timeoutMs: wanted.timeout ?? limits.timeout,
      memoryBytes: wanted.memoryLimit ?? limits.memory,
      cpuQuota: limits.cpuQuota,
      context: wanted.context,
      ...clockAndSeed(grants, id),
      ...(wanted.extendTimeout && { isExtendable: true }),
    }
  }

  /** One that was never put away: it is in the audit before anybody is answered. */
  async function ended(
    { id, by, caller, wanted }: Pick<RunFacts, 'id' | 'by' | 'caller' | 'wanted'>,
    result: Extract<CodeAnswer, { result: unknown }>['result'],
    reached: Record<string, number>,
  ): Promise<CodeAnswer> {
    metrics.ended(result)
    const sessionId = caller.sessionId ?? null
    await book.note(codeNote({ id, principal: by, createdBy: by.id, sessionId, wanted }, result, reached))
    return { result }
  }

  const takeUps = openTakeUps({ ...needs, here, freezer, metrics, handsOf })

  return {
    execute,
    ended: (by, requestId, ears) => endings.ended(by, requestId, ears),
    async cancel(by, requestId) {
      const run = here.get(requestId)
      if (!run || run.isStored) return endings.cancel(by, requestId)
      const createdBy = ownerOf(run.by)
      const sessionId = run.by.agent?.sessionId ?? null
      if (!isTheirRun(by, { principal: run.by, createdBy, sessionId })) return false
      run.drive.end('It was cancelled')
      // Put away at this very moment, it is ended where it waits.
      const how = await run.drive.done
      return how === 'frozen' ? endings.cancel(by, requestId) : true
    },
    async check(by, { code, sessionId }, signal) {
      const { callerOf } = await tools()
      const wanted = { owner: ownerOf(by), code, api: await apiOf(await callerOf(by, { sessionId })) }
      const diagnostics = await codeMode.check(wanted, signal).catch((error: unknown) => {
        throw asRefused(error)
      })
      return { diagnostics: [...diagnostics] }
    },
    async api(by, { namespace, tool, sessionId }) {
      const { callerOf } = await tools()
      const api = await apiOf(await callerOf(by, { sessionId }))
      const text =
        tool !== undefined
          ? api.toolText(tool)
          : namespace !== undefined
            ? api.namespaceText(namespace)
            : api.text
      if (text !== undefined) return text
      if (tool !== undefined) throw new Problem('tool_not_found', `No tool ${tool}`)
      throw new Problem('source_not_found', `No source ${namespace}`)
    },
    apiFor: (caller) => apiOf(caller),
    metrics: () => metrics.text(),
    async close() {
      await takeUps.close()
      await codeMode.close()
      // Those whose memory is in our hands, and those that wait for the database to be put away.
      const left = [...here.values()].map(({ drive: run }) => run)
      for (const run of left) run.end('Signalbox was stopped')
      const done = Promise.allSettled(left.map((run) => run.done))
      await Promise.race([done, wait(needs.graceMs ?? usualGraceMs, undefined, { ref: false })])
      for (const run of left) run.lose()
      await done
      endings.close()
    },
  }
}

const stoppedMeanwhile = (id: string) =>
  new Problem(
    'machine_unavailable',
    `Signalbox was stopped while the run was put away to wait for a person. Whether it was is not known: ask for it as ${id}`,
  )

function admitted(begin: () => Drive): Drive {
  try {
    return begin()
  } catch (error) {
    throw asRefused(error)
  }
}

const asRefused = (error: unknown): unknown =>
  error instanceof CodeBusy ? new Problem('too_many_calls', error.message, { retryAfterSec: 1 }) : error

/** Whose turn it is: an agent's code is of whoever it works for. */
const ownerOf = (by: Principal): string => by.agent?.onBehalfOf ?? by.id
