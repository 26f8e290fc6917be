import type { Pool } from '#codemode/pool/pool.ts'
import { limits, runIn } from './code-pool.ts'
import { escapes } from './escapes.ts'
import { hostile, stuck, wrongEnding } from './hostile.ts'
import type { Hostile } from './hostile.ts'

/** Honest code that fails when anything of another run is left: a marker, a changed builtin, a number, a call. */
const honest = (index: number): Hostile => ({
  name: 'honest',
  code: `
    const left = [typeof leak, typeof marker, ({}).polluted, [].polluted, Math.max(1, 2), JSON.stringify([1, { a: 2 }]), Object.keys(globalThis).length - (globalThis.performance ? 1 : 0), context.who]
    const bytes = new Uint8Array(20_000)
    for (let i = 0; i < bytes.length; i++) if (bytes[i] !== 0) left.push('memory ' + i)
    const mine = 'marker of ${index}'
    globalThis.marker = mine
    const map = new Map([[mine, { n: ${index} }]])
    const answers = await Promise.all([1, 2, 3].map((n) => mcp.a.echo({ n: n * ${index}, mine })))
    try { await mcp.a.fail() } catch (error) { left.push(error.message) }
    return [left, map.get(mine).n, answers.map((a) => a.n), answers.every((a) => a.mine === mine), marker === mine]`,
  ends: [
    {
      returns: [
        ['undefined', 'undefined', null, null, 2, '[1,{"a":2}]', 0, 'me', 'no'],
        index,
        [index, 2 * index, 3 * index],
        true,
        true,
      ],
    },
  ],
})

const vandal: Hostile = {
  name: 'a vandal',
  code: 'globalThis.leak = globalThis.marker = "left by a vandal"; Object.prototype.polluted = Array.prototype.polluted = 1; Math.max = () => 0; JSON.stringify = () => "vandal"; const keep = Array.from({ length: 2000 }, (_, i) => "left by a vandal " + i); mcp.a.never(keep); return await mcp.a.echo(keep.length)',
  ends: [{ returns: 2000 }],
}

const isCheap = ({ name, ends }: Hostile) =>
  ends.every((end) => end !== 'timeout' && end !== 'memory') || name === 'a loop'
const cheap = [
  ...hostile.filter(isCheap),
  vandal,
  ...escapes.slice(10, 40).map((one) => ({ ...one, ends: [{ returns: [] }] })),
]
const dear = hostile.filter((one) => !isCheap(one))

/** Every second one is honest; of the others a few take long, and a very few take their thread with them. */
function pick(index: number): Hostile {
  if (index % 2 === 0) return honest(index)
  const turn = (index - 1) / 2
  if (turn % 500 === 250) return stuck[Math.floor(turn / 500) % stuck.length]!
  if (turn % 10 === 5) return dear[Math.floor(turn / 10) % dear.length]!
  return cheap[turn % cheap.length]!
}

export interface Mixed {
  wrong: string[]
  ends: Record<string, number>
}

/** Many at once, all over the pool. Tells each that did not end as it should. */
export async function runMixed(
  pool: Pool,
  count: number,
  onProgress: (done: number) => void = () => undefined,
): Promise<Mixed> {
  const mixed: Mixed = { wrong: [], ends: {} }
  let next = 0
  const one = async () => {
    for (let index = next++; index < count; index = next++) {
      const what = pick(index)
      const isHonest = index % 2 === 0
      const job = {
        owner: isHonest ? 'honest' : 'hostile',
        limits: { ...limits, cpuMs: isHonest ? 20_000 : 40 },
        timeoutMs: 60_000,
      }
      const ran = await runIn(pool, what.code, job).ended
      const ending = ran?.ending ?? { how: 'crashed' as const, message: 'frozen' }
      mixed.ends[ending.how] = (mixed.ends[ending.how] ?? 0) + 1
      // With so little time each of them may be out of it, but for those that are honest.
      const wrong = !isHonest && ending.how === 'timeout' ? undefined : wrongEnding(what, ending)
      if (wrong) mixed.wrong.push(`${index} ${what.name}: ${wrong}`)
      if (index % 100 === 0) onProgress(index)
    }
  }
  await Promise.all(Array.from({ length: 8 }, one))
  return mixed
}
