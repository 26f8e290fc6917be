import pino from 'pino'
import { onTestFinished } from 'vitest'
import { openCodeMode } from '#codemode/open.ts'
import type { CodeMode } from '#codemode/port.ts'
import { loadConfig } from '#config/config.ts'
import type { Principal } from '#contract/access.ts'
import { ExecuteCode } from '#contract/execute.ts'
import type { CodeResult, CodeWaiting } from '#contract/execute.ts'
import { SourceConfig } from '#contract/source.ts'
import { openListener } from '#db/listen.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { openNativeSource } from '#tools/native-source.ts'
import { openRegistry } from '#tools/registry.ts'
import type { NativeTool, Registry, RegistryHands } from '#tools/port.ts'
import { openMachineCode } from '#worker/code/open.ts'
import type { CodeEars, MachineCode } from '#worker/code/machine-code.ts'
import { openToolApprovals } from '#worker/tools/approve.ts'
import { openCallers } from '#worker/tools/caller.ts'
import type { MachineTools } from '#worker/tools/machine-tools.ts'
import { openNote } from '#worker/tools/note.ts'
import { settingsOf } from '#worker/tools/sources.ts'
import { openAsking } from '../asking.ts'

const log = pino({ level: process.env['TEST_LOG'] ?? 'silent' })
const settings = settingsOf(SourceConfig.parse({ transport: 'stdio', command: '-', grants: ['*'] }))
const MB = 1024 ** 2

/** A shop, whose calls are counted. Whatever is bought or sold destroys something; what is `held` comes when it is let go. */
export function openShop() {
  const calls: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const inputSchema = {
    type: 'object',
    properties: { what: { type: 'string' } },
    required: ['what'],
    additionalProperties: false,
  }
  const tool = (name: string, annotations: Record<string, boolean>, description = name): NativeTool => ({
    name,
    description,
    inputSchema,
    annotations,
    async run(_caller, { what }, { signal }) {
      calls.push(`${name} ${String(what)}`)
      const gate = gates.get(String(what))
      if (gate)
        await Promise.race([gate.promise, new Promise((_, no) => signal.addEventListener('abort', no))])
      return { content: [], structuredContent: { did: name, what } }
    },
  })
  const tools = (buying = 'buy') => [
    tool('look', { readOnlyHint: true }),
    tool('buy', { destructiveHint: true }, buying),
    tool('sell', { destructiveHint: true, idempotentHint: true }),
    tool('give', { destructiveHint: false }),
  ]
  return {
    calls,
    /** What is about this does not come back before the gate is opened. */
    hold(what: string): void {
      gates.set(what, Promise.withResolvers())
    },
    release(what: string): void {
      gates.get(what)?.resolve()
      gates.delete(what)
    },
    /** Put into a registry; described otherwise, its definition has changed. */
    putInto: (registry: Registry, buying?: string) =>
      registry.put(openNativeSource({ name: 'shop', description: 'A shop', tools: tools(buying) }), settings),
  }
}

export type Shop = ReturnType<typeof openShop>

/** Machines that run code, on one database. Threads are for all of a file's tests. */
export async function openCodeMachines(codeMode: CodeMode, ofAgent: object = {}) {
  const box = await openAsking(ofAgent)
  const { pool } = box
  const config = loadConfig({ env: { HOME: '/nowhere', APPROVAL_EXPIRES_MS: '60000' }, cwd: '/' })
  const shop = openShop()
  const accepted = new Map<string, string>()
  // Those of the database are for sources that are registered there.
  const pins: RegistryHands['pins'] = {
    of: () => Promise.resolve(accepted),
    put: async (_source, some) => {
      for (const { tool, hash } of some) accepted.set(tool, hash)
    },
  }

  /** Another worker, with its own registry and listener: for the same machine, or another. Closed, it is gone as if it was killed. */
  async function openMachine(
    machineId = box.machineId,
    lookMs = 300,
    { graceMs = 0, hasShop = true, endsThreads = false } = {},
  ) {
    const listener = openListener(pool.url, log)
    const needs = { pool, machineId, listener, config: () => config, log }
    const approvals = openToolApprovals(needs)
    const registry = openRegistry({
      pins,
      approve: (question, signal) => approvals.approve(question, signal),
      note: openNote(pool.db),
    })
    if (hasShop) shop.putInto(registry)
    const tools = { registry, callerOf: openCallers(pool.db) } as unknown as MachineTools
    // Threads are shared: closing one machine leaves them to the others.
    const shared: CodeMode = endsThreads ? codeMode : { ...codeMode, close: () => Promise.resolve() }
    const code = openMachineCode({
      ...needs,
      tools: () => Promise.resolve(tools),
      codeMode: shared,
      lookMs,
      graceMs,
    })
    let isClosed = false
    const close = async () => {
      if (isClosed) return
      isClosed = true
      await code.close()
      approvals.close()
      await registry.close()
      await listener.close()
    }
    onTestFinished(close)
    return { ...machineCalls(code), code, registry, close, machineId }
  }

  return { ...box, shop, openMachine }
}

function machineCalls(code: MachineCode) {
  const ears = (): CodeEars => ({ signal: AbortSignal.timeout(60_000) })
  async function execute(text: string, more: object = {}, by: Principal = owner) {
    const wanted = ExecuteCode.parse({ code: text, capabilities: ['mcp:*'], ...more })
    return code.execute(by, wanted, ears())
  }
  return {
    execute,
    /** A run that waits for a person now. */
    async frozen(text: string, more: object = {}, by: Principal = owner): Promise<CodeWaiting> {
      const answer = await execute(text, more, by)
      if ('waiting' in answer) return answer.waiting
      throw new Error(`It ended: ${JSON.stringify(answer.result)}`)
    },
    async result(text: string, more: object = {}, by: Principal = owner): Promise<CodeResult> {
      const answer = await execute(text, more, by)
      if ('result' in answer) return answer.result
      throw new Error(`It waits: ${JSON.stringify(answer.waiting)}`)
    },
    ended: (id: string, by: Principal = owner) => code.ended(by, id, ears()),
    newId,
  }
}

export const openTestCodeMode = (): CodeMode =>
  openCodeMode({
    threads: { min: 1, max: 2, idleMs: 30_000 },
    mostMemoryBytes: 128 * MB,
    mostWaiting: 1_000,
    mostWaitingOfOne: 1_000,
  })
