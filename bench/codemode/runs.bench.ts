import { percentile } from '../figure.ts'
import type { Figure, Peer } from '../figure.ts'
import type { Asked } from './contest.ts'
import { startContestants } from './start-contestant.ts'
import type { Running } from './start-contestant.ts'

const rounds = 8
const atOnce = 32
const liveRuns = { ours: 1_000, theirs: 100 }

/** What a run costs, beside others that give each run a sandbox of its own. All of them take turns. */
export default async function runs(): Promise<Figure[]> {
  const all = await startContestants()
  try {
    return [
      await fastest('return 1 + 1', 'sum', 0.3, all),
      await fastest('40 lines with 5 calls of tools', 'tools', 1.5, all),
      await mostRuns(all),
      await fastestAllocation(all),
      await leastMemory(all),
    ]
  } finally {
    await Promise.all(all.map((one) => one.close()))
  }
}

async function fastest(
  what: string,
  program: 'sum' | 'tools',
  most: number,
  all: readonly [Running, ...Running[]],
): Promise<Figure> {
  const took = await byTurns(all, rounds, (one) => ({
    type: 'latency',
    program,
    times: one === all[0] ? 250 : 25,
  }))
  const { ours, peer } = compared(all, (one) => percentile(took.get(one)!, 0.5))
  return { name: `${what}, p50`, ours, unit: 'ms', target: { most }, peer }
}

async function mostRuns(all: readonly [Running, ...Running[]]): Promise<Figure> {
  const seen = await byTurns(all, 3, () => ({ type: 'throughput', program: 'tools', forMs: 1_500, atOnce }))
  const { ours, peer } = compared(all, (one) => percentile(seen.get(one)!, 0.5))
  return {
    name: `the same, ${atOnce} at once on 2 cores`,
    ours,
    unit: 'runs/s',
    target: { least: 1_000 },
    peer,
  }
}

/** Ours: a sandbox that has run code is made as new. Theirs: an isolate with a context. */
async function fastestAllocation(all: readonly [Running, ...Running[]]): Promise<Figure> {
  const [us, others] = [all[0], all.filter(({ name }) => name.startsWith('isolated-vm'))]
  const two: [Running, ...Running[]] = [us, ...others]
  const took = await byTurns(two, rounds, (one) => ({ type: 'allocation', times: one === us ? 250 : 25 }))
  const { ours, peer } = compared(two, (one) => percentile(took.get(one)!, 0.5))
  return { name: 'a new sandbox (allocation), p50', ours, unit: 'ms', target: { most: 0.1 }, peer }
}

/** Fewer of theirs: a thousand isolates would not fit everywhere. */
async function leastMemory(all: readonly [Running, ...Running[]]): Promise<Figure> {
  const bytes = new Map<Running, number>()
  for (const one of all.filter(({ missing }) => missing === undefined)) {
    const isOurs = one === all[0]
    const [each = Number.NaN] = await one.ask({
      type: 'memory',
      runs: isOurs ? liveRuns.ours : liveRuns.theirs,
      takesMs: isOurs ? 6_000 : 3_000,
    })
    bytes.set(one, each)
  }
  const { ours, peer } = compared(all, (one) => bytes.get(one)! / 2 ** 20)
  return {
    name: `memory of a run that waits, ${liveRuns.ours.toLocaleString('en')} at once`,
    ours,
    unit: 'MB',
    target: { most: 1 },
    peer,
  }
}

/** One after the other, so that what else the machine does falls on all. The first round warms up. */
async function byTurns(all: readonly Running[], times: number, asked: (one: Running) => Asked) {
  const values = new Map(all.map((one): [Running, number[]] => [one, []]))
  for (let round = -1; round < times; round += 1)
    for (const one of all.filter(({ missing }) => missing === undefined)) {
      const more = await one.ask(asked(one))
      if (round >= 0) values.get(one)!.push(...more)
    }
  return values
}

function compared(
  [us, ...others]: readonly [Running, ...Running[]],
  valueOf: (one: Running) => number,
): { ours: number; peer: Peer[] } {
  return {
    ours: valueOf(us),
    peer: others.map((one) => {
      const { name, missing } = one
      return missing === undefined ? { name, value: valueOf(one) } : { name, missing }
    }),
  }
}
