import { setTimeout as wait } from 'node:timers/promises'
import type { Principal } from '#contract/access.ts'
import { CodeLine } from '#contract/execute.ts'
import type { CodeResult, ExecuteCode } from '#contract/execute.ts'
import type { AskExecute } from '#contract/internal.ts'
import { readCodeRun } from '#db/code-reads.ts'
import type { Machine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { findToolPlace } from '#db/tool-place.ts'
import { linesOf } from '#lib/line-iterator.ts'
import { livingMachine, machineForMcp } from './mcp-machine.ts'
import { openWorker, silent } from './owning-worker.ts'
import type { Parts } from './room.ts'

export type CodeParts = Pick<Parts, 'pool' | 'machineId' | 'settings'>

const longestLine = 64 * 1024 * 1024
const lookMs = 2_000
const momentMs = 100

/** Code runs where the workspace of its session is; without a session where its tools are. */
export async function machineForCode(
  parts: CodeParts,
  by: Principal,
  sessionId: string | undefined,
): Promise<Machine> {
  const place = sessionId === undefined ? undefined : await findToolPlace(parts.pool.db, sessionId)
  return place?.machine ?? machineForMcp(parts, by, undefined, livingNow(parts))
}

const living = new WeakMap<Database, { machine: Promise<Machine | undefined>; until: number }>()

/** Machines are taken for dead after many seconds: one that lived a moment ago is not asked about again for every run. */
function livingNow(parts: CodeParts): Promise<Machine | undefined> {
  const { db } = parts.pool
  const known = living.get(db)
  if (known && known.until > performance.now()) return known.machine
  const machine = livingMachine(parts)
  living.set(db, { machine, until: performance.now() + momentMs })
  const forget = (found?: Machine) => void (found || living.delete(db))
  machine.then(forget, () => forget())
  return machine
}

/**
 * One execution, line by line, to its result. Throws a Problem when it is not begun, or broken off. What waits for a person is waited for,
 * wherever it goes on; before that, the signal cancels it.
 */
export async function* executionLines(
  parts: CodeParts,
  asked: { by: Principal; requestId: string; wanted: ExecuteCode },
  signal: AbortSignal,
): AsyncGenerator<CodeLine, void> {
  const { by, requestId, wanted } = asked
  const { db } = parts.pool
  const machine = await machineForCode(parts, by, wanted.sessionId)
  const body = JSON.stringify({ by, requestId, ...wanted } satisfies AskExecute)
  const answer = await openWorker(db, machine, '/code/stream', body, signal)
  const lines = linesOf(answer.body, longestLine)
  /** Its worker may go, and another one take it up. */
  let elsewhere: Promise<CodeLine> | undefined
  for (;;) {
    const next = lines.next().then(({ value }) => (value === undefined ? undefined : lineIn(value)))
    const line = await (elsewhere ? Promise.race([next, elsewhere]) : next).catch((error: unknown) => {
      if (elsewhere && !signal.aborted) return elsewhere
      throw silent(machine, error)
    })
    const told = line ?? (await elsewhere)
    if (!told) throw silent(machine, new Error('it broke off'))
    if (told.type === 'waiting')
      elsewhere ??= endOf(db, requestId, signal).then((result) => ({ type: 'result', result }))
    yield told
    if (told.type === 'result') return
  }
}

const lineIn = (text: string): CodeLine => CodeLine.parse(JSON.parse(text))

/** The result of a run that waits for a person. Rejects when the signal does. */
async function endOf(db: Database, requestId: string, signal: AbortSignal): Promise<CodeResult> {
  for (;;) {
    await wait(lookMs, undefined, { signal })
    const run = await readCodeRun(db, requestId).catch(() => undefined)
    if (!run?.result) continue
    // Whoever drove it tells more than the result, and does so about now.
    await wait(lookMs / 2, undefined, { signal })
    return run.result
  }
}
