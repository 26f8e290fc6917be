import { isDeepStrictEqual } from 'node:util'
import { programs, waiting } from './programs.ts'
import type { Program, Programs } from './programs.ts'

/** One way to run code, in a process of its own. */
export interface Contestant {
  /** How its code calls the tool that answers with what it is given. */
  tool: string
  /** In a sandbox that nobody has used before. Resolves with what the code returns. */
  run(code: string): Promise<unknown>
  /** Bytes of its processes, resident. */
  resident(): number
  /** What a run costs that runs nothing, where there is a way to get to it that others have not to go. */
  empty?(): Promise<unknown>
  /** Makes a sandbox ready for code that has seen none before. Resolves with the milliseconds. */
  allocate?(): Promise<number>
}

export type Asked =
  | { type: 'latency'; program: keyof Programs; times: number }
  | { type: 'throughput'; program: keyof Programs; forMs: number; atOnce: number }
  | { type: 'allocation'; times: number }
  | { type: 'memory'; runs: number; takesMs: number }

export type Told =
  | { type: 'ready' }
  | { type: 'answer'; values: number[] }
  | { type: 'failed'; message: string }

const tell = (message: Told) => process.send!(message)

let turn = 0
let held = 0
let mostHeld = 0

/** What the tool of every contestant does. */
export async function echo(given: unknown): Promise<unknown> {
  const { takesMs } = given as { takesMs?: number }
  if (takesMs === undefined) return given
  held += 1
  mostHeld = Math.max(held, mostHeld)
  await new Promise((resolve) => setTimeout(resolve, takesMs))
  held -= 1
  return given
}

/** Does what the bench asks for, until the bench is gone. */
export async function enter(open: () => Promise<Contestant>): Promise<void> {
  // What it started is ended by its own handlers of `exit`.
  for (const sign of ['disconnect', 'SIGTERM', 'SIGINT']) process.once(sign, () => process.exit())
  try {
    const contestant = await open()
    process.on('message', (asked: Asked) => {
      measured(contestant, asked).then(
        (values) => tell({ type: 'answer', values }),
        (error: unknown) => tell({ type: 'failed', message: String(error) }),
      )
    })
    tell({ type: 'ready' })
  } catch (error) {
    tell({ type: 'failed', message: String(error) })
  }
}

async function measured(contestant: Contestant, asked: Asked): Promise<number[]> {
  if (asked.type === 'latency') return latency(contestant, asked)
  if (asked.type === 'throughput') return [await throughput(contestant, asked)]
  if (asked.type === 'memory') return [await memory(contestant, asked)]
  const took: number[] = []
  for (let count = 0; count < asked.times; count += 1)
    took.push((await contestant.allocate?.()) ?? Number.NaN)
  return took
}

/** Every result is looked at: what is fast and wrong is not measured. */
async function checked(contestant: Contestant, { code, expected }: Program): Promise<void> {
  const result = await contestant.run(code)
  if (!isDeepStrictEqual(result, expected)) throw new Error(`A wrong result: ${JSON.stringify(result)}`)
}

async function latency(contestant: Contestant, { program, times }: Asked & { type: 'latency' }) {
  const took: number[] = []
  for (let count = 0; count < times; count += 1) {
    const next = programs[program](contestant.tool, (turn += 1))
    const since = performance.now()
    await checked(contestant, next)
    const ran = performance.now()
    await contestant.empty?.()
    took.push(ran - since - (contestant.empty ? performance.now() - ran : 0))
  }
  return took
}

async function throughput(
  contestant: Contestant,
  { program, forMs, atOnce }: Asked & { type: 'throughput' },
) {
  const since = performance.now()
  let runs = 0
  const one = async () => {
    while (performance.now() - since < forMs) {
      await checked(contestant, programs[program](contestant.tool, (turn += 1)))
      runs += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  return (runs * 1000) / (performance.now() - since)
}

/** Bytes for each of many runs that wait for a call at once: the most that was there while they did. */
async function memory(contestant: Contestant, { runs, takesMs }: Asked & { type: 'memory' }) {
  await checked(contestant, waiting(contestant.tool, (turn += 1), 1))
  globalThis.gc?.()
  const before = contestant.resident()
  let most = before
  const watch = setInterval(() => (most = Math.max(most, contestant.resident())), 50)
  const all = Array.from({ length: runs }, () =>
    checked(contestant, waiting(contestant.tool, (turn += 1), takesMs)),
  )
  await Promise.all(all).finally(() => clearInterval(watch))
  if (mostHeld > 0 && mostHeld < runs) throw new Error(`Only ${mostHeld} of ${runs} waited at once`)
  return (most - before) / runs
}
