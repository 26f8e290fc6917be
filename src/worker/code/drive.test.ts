import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { openCodeMode } from '#codemode/open.ts'
import type { CodeMode, FrozenRun } from '#codemode/port.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import type { ToolQuestion } from '#flows/ask-tool-approval.ts'
import { drive } from './drive.ts'
import type { DriveHands, Kept } from './drive.ts'
import type { Journal } from './journal.ts'
import { AwaitsPerson } from './reach/awaits-person.ts'

const MB = 1024 ** 2
const mode = openCodeMode({
  threads: { min: 1, max: 1, idleMs: 1_000 },
  mostMemoryBytes: 32 * MB,
  mostWaiting: 5,
  mostWaitingOfOne: 5,
})
afterAll(() => mode.close())

const journal: Journal = {
  recall: () => undefined,
  replay: () => [],
  isReplayed: () => true,
  begin: async () => undefined,
  unbegin: async () => undefined,
  end: async () => undefined,
}
const names = ['s.first', 's.second', 's.third']
const code = 'const all = [mcp.s.first(), mcp.s.second(), mcp.s.third()]; return Promise.all(all.slice(0, 2))'

const handsWith = (codeMode: CodeMode, more: Partial<DriveHands>, call: DriveHands['reach']['call']) => ({
  codeMode,
  owner: 'me',
  id: 'run',
  logs: { lines: [], add: () => undefined },
  reach: { call, toolOf: async () => undefined, reached: () => ({}) },
  tell: () => undefined,
  isRepeatable: async () => false,
  answers: async () => [],
  store: async () => undefined,
  log: pino({ enabled: false }),
  ...more,
})

async function putAway(): Promise<FrozenRun> {
  const { promise: stored, resolve } = Promise.withResolvers<FrozenRun>()
  const store = async (frozen: FrozenRun) => resolve(frozen)
  const ask = () => Promise.reject(new AwaitsPerson({} as ToolQuestion))
  const { isTypeScript, isChecked } = { isTypeScript: false, isChecked: false }
  const wanted = { owner: 'me', code, isTypeScript, isChecked, api: mode.api([]), context: null }
  const limits = { clockMs: null, timeoutMs: 60_000, memoryBytes: 16 * MB, cpuQuota: 1, seed: [1, 2, 3, 4] }
  const begun = drive(handsWith(mode, { store }, ask), {
    begun: (hands) => mode.run({ ...wanted, ...limits }, hands),
  })
  expect(await begun.done).toBe('frozen')
  return stored
}

/** A run that waits for three people, some of whom have answered, taken up; its memory is unpacked when `open` is called. */
async function takenUp(granted: readonly string[], call: DriveHands['reach']['call']) {
  const frozen = await putAway()
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const slow: CodeMode = {
    ...mode,
    thaw: async (...given) => {
      begun.resolve()
      await gate.promise
      return mode.thaw(...given)
    },
  }
  const answered = new Set(granted)
  const row = (id: string) => ({ id, status: 'granted', answeredBy: 'me', inputHash: '' }) as ApprovalRow
  const answers = async (ids: readonly string[]) => ids.filter((id) => answered.has(id)).map(row)
  const calls = names.map((name, at) => ({
    call: at + 1,
    kind: 'mcp' as const,
    name,
    input: [],
    approvalId: name,
  }))
  const kept: Kept = { frozen, image: undefined, lastCall: 3, journal, calls }
  const run = drive(handsWith(slow, { answers }, call), kept)
  await begun.promise
  return { run, answered, open: () => gate.resolve() }
}

const both = { result: { success: true, result: ['s.first', 's.second'] } }

test('an answer that comes while a run is being taken up is acted upon', async () => {
  const { run, answered, open } = await takenUp(['s.first', 's.third'], (_call, _kind, name) =>
    name === 's.third' ? new Promise(() => {}) : Promise.resolve(name),
  )
  answered.add('s.second')
  run.look()
  open()
  expect(await run.done).toMatchObject(both)
})

test('an outcome that comes while a run is being taken up again is told to it', async () => {
  const second = Promise.withResolvers<string>()
  const { run, open } = await takenUp(names, (_call, _kind, name) => {
    if (name === 's.third') return new Promise(() => {})
    return name === 's.first' ? Promise.resolve(name) : second.promise
  })
  second.resolve('s.second')
  // By then it was told to whoever holds the run.
  await new Promise((resolve) => setImmediate(resolve))
  open()
  expect(await run.done).toMatchObject(both)
})

test('one that is cancelled while it is being taken up does not go on', async () => {
  const made: string[] = []
  const { run, open } = await takenUp(['s.first'], async (_call, _kind, name) => {
    made.push(name)
    return name
  })
  run.cancel('enough')
  open()
  expect(await run.done).toMatchObject({ result: { success: false, error: { message: expect.any(String) } } })
  expect(made).toEqual(['s.first'])
  await expect.poll(() => mode.load().live, { timeout: 20_000 }).toBe(0)
})
