import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { hands, jobOf, limits, openTestPool, quickjs, runIn } from '../../../test/support/code/code-pool.ts'
import type { Elsewhere } from '../../../test/support/code/thaw-elsewhere.ts'
import { makeImage } from '../sandbox/image.ts'
import type { Image } from '../sandbox/image.ts'
import { readImage, storedImage } from '../sandbox/stored-image.ts'
import { readRun, storedRun } from '../sandbox/stored-run.ts'
import type { FrozenJob, Job, Ran, RunHands } from './job.ts'
import type { Settled } from './messages.ts'
import type { Pool } from './pool.ts'

const pool = openTestPool({ min: 2, max: 2, isVerified: true })
const pools = [pool]
afterAll(() => Promise.all(pools.map((one) => one.close())))

const until = (isTrue: () => boolean) =>
  vi.waitFor(() => expect(isTrue()).toBe(true), { timeout: 20_000, interval: 5 })
const fine = (call: number, value: unknown): Settled => ({ call, isFine: true, text: JSON.stringify(value) })
const resultOf = (ran: Ran | undefined): unknown =>
  ran?.ending.how === 'returned' ? JSON.parse(ran.ending.text) : ran?.ending

/** Runs until so many calls of `person` wait, and takes it out. Everything else is answered. */
async function frozenAt(
  where: Pool,
  code: string,
  waiting: number,
  more: Partial<Job> = {},
): Promise<FrozenJob> {
  let asked = 0
  const person: RunHands = {
    ...hands,
    call: (call, kind, name, given) => {
      if (!name.startsWith('person.')) return hands.call(call, kind, name, given)
      asked += 1
      return new Promise(() => undefined)
    },
  }
  const run = runIn(where, code, { hands: person, ...more })
  await until(() => asked === waiting)
  const frozen = await run.freeze()
  expect(await run.ended).toBeUndefined()
  if (!frozen) throw new Error('It has ended')
  return frozen
}

const thawed = (
  where: Pool,
  { frozen, meter }: FrozenJob,
  settled: Settled[],
  more: Partial<Job> = {},
  image?: Image,
) => where.run(jobOf('', { from: { frozen, meter, settled, ...(image ? { image } : {}) }, ...more }))

async function elsewhere(
  image: Image,
  { frozen, meter }: FrozenJob,
  settled: Settled[],
  later: Settled[],
): Promise<unknown> {
  const stored = await storedImage(image)
  const run = storedRun(frozen)
  const given: Elsewhere = {
    image: { hash: stored.hash, bytes: Buffer.from(stored.bytes).toString('base64') },
    run: { ...run, memory: Buffer.from(await run.memory).toString('base64') },
    meter,
    settled,
    later,
  }
  const program = new URL('../../../test/support/code/thaw-elsewhere.ts', import.meta.url)
  const child = spawn(process.execPath, [program.pathname], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(given))
  return resultOf(JSON.parse(await text(child.stdout)) as Ran)
}

const inTheMiddle: [name: string, code: string, waiting: number, settled: Settled[], result: unknown][] = [
  [
    'several calls at once',
    'const a = await Promise.all([mcp.person.a(), mcp.a.echo(5), mcp.person.b(), mcp.person.c()]); return a',
    3,
    [fine(4, 'c'), fine(1, 'a'), fine(3, 'b')],
    ['a', 5, 'b', 'c'],
  ],
  [
    'closures, maps, sets, classes with private fields, dates, symbols, big numbers',
    `let n = 40; const add = () => ++n
     class Own { #secret = 7; static made = 0; constructor() { Own.made++ } get secret() { return this.#secret * n } }
     const own = new Own(), map = new Map([[own, 'own'], ['k', new Set([1, 2])]]), weak = new WeakMap([[own, 'weak']]), s = Symbol('s')
     const o = { [s]: 1n << 70n, when: new Date(5), r: /b+/g, bytes: new Uint8Array([1, 2, 3]) }
     add(); const answer = await mcp.person.ask(); add()
     return [answer, n, own.secret, Own.made, map.get(own), [...map.get('k')], weak.get(own), String(o[s]), o.when.getTime(), 'abbb'.replace(o.r, 'x'), [...o.bytes], own instanceof Own]`,
    1,
    [fine(1, 'yes')],
    ['yes', 42, 294, 1, 'own', [1, 2], 'weak', '1180591620717411303424', 5, 'ax', [1, 2, 3], true],
  ],
  [
    'a generator, and an asynchronous one',
    `function* count() { let i = 0; try { for (;;) yield i++ } finally { done = true } }
     let done = false; const it = count(); it.next(); it.next()
     async function* ask() { for (const q of ['a', 'b']) yield [q, await mcp.person.ask(q)] }
     const got = []; for await (const one of ask()) { got.push(one, it.next().value) }
     it.return(); return [got, done]`,
    1,
    [fine(1, 1), fine(2, 2)],
    [[['a', 1], 2, ['b', 2], 3], true],
  ],
  [
    'a loop with try, catch and finally',
    `const log = []; for (let i = 0; i < 3; i++) { try { if (i === 1) await mcp.person.ask(); log.push(i) } catch (e) { log.push(e.message, e.kind) } finally { log.push('f') } } return log`,
    1,
    [{ call: 1, isFine: false, text: '{"message":"refused","kind":"mcp"}' }],
    [0, 'f', 'refused', 'mcp', 'f', 2, 'f'],
  ],
  [
    'much memory',
    `const a = Array.from({ length: 30_000 }, (_, i) => ({ i })); await mcp.person.ask(); return a.reduce((s, x) => s + x.i, 0)`,
    1,
    [fine(1, 1)],
    449_985_000,
  ],
]

describe('taken out and taken up again', () => {
  test.each(inTheMiddle)('%s', async (_, code, waiting, settled, result) => {
    const frozen = await frozenAt(pool, code, waiting)
    const answers: RunHands = {
      ...hands,
      call: (call) => Promise.resolve(settled.find((one) => one.call === call)?.text ?? '0'),
    }
    const run = thawed(pool, frozen, [], { hands: answers })
    for (const one of settled) run.settle(one)
    expect(resultOf(await run.ended)).toEqual(result)
  })

  test('in another process, from what is stored', async () => {
    const [, code, waiting, settled, result] = inTheMiddle[0]!
    const frozen = await frozenAt(pool, code, waiting)
    const { testImage } = await import('../../../test/support/code/code-pool.ts')
    expect(await elsewhere(testImage(), frozen, settled.slice(0, 1), settled.slice(1))).toEqual(result)
  })

  test('over another image than the one of today, in the same threads', async () => {
    const before = makeImage(quickjs(), 12 * 1024 ** 2)
    const earlier = openTestPool({ min: 1, max: 1 }, before)
    pools.push(earlier)
    const code =
      'const x = { n: 3 }; const a = await mcp.person.a(); const b = await mcp.person.b(); return [x.n, a, b]'
    const frozen = await frozenAt(earlier, code, 1)
    const lost = thawed(pool, frozen, [fine(1, 'a')])
    expect((await lost.ended)?.ending).toMatchObject({ how: 'crashed' })
    const image = await readImage(await storedImage(before))
    for (let round = 0; round < 3; round += 1) {
      const again = await frozenAgain(frozen, image)
      const run = thawed(pool, again, [fine(2, 'b')], {}, image)
      expect(resultOf(await run.ended)).toEqual([3, 'a', 'b'])
      expect(resultOf(await runIn(pool, 'return 1').ended)).toBe(1)
    }
  })

  async function frozenAgain(frozen: FrozenJob, image: Image): Promise<FrozenJob> {
    let isAsked = false
    const call: RunHands['call'] = () => new Promise(() => (isAsked = true))
    const run = thawed(pool, frozen, [fine(1, 'a')], { hands: { ...hands, call } }, image)
    await until(() => isAsked)
    return (await run.freeze())!
  }

  test('a number counts on, and random numbers go on', async () => {
    const code =
      'const a = Math.random(); await mcp.person.a(); return [a, Math.random(), await mcp.a.echo(1)]'
    const whole = resultOf(await runIn(pool, code.replace('person', 'a')).ended)
    const calls: number[] = []
    const frozen = await frozenAt(pool, code, 1)
    const run = thawed(pool, frozen, [fine(1, 1)], {
      hands: { ...hands, call: (call) => (calls.push(call), Promise.resolve('1')) },
    })
    expect(resultOf(await run.ended)).toEqual(whole)
    expect(calls).toEqual([2])
  })

  test('waits for its first outcome without using its time, and goes on counting it', async () => {
    const frozen = await frozenAt(pool, 'await mcp.person.a(); for (;;) {}', 1, { timeoutMs: 700 })
    const run = thawed(pool, frozen, [], { timeoutMs: 700 })
    await new Promise((resolve) => setTimeout(resolve, 900))
    expect(pool.load.live).toBe(1)
    run.settle(fine(1, 1))
    const ran = await run.ended
    expect(ran?.ending).toEqual({ how: 'timeout', of: 'wall', stack: expect.stringContaining('code:') })
    expect(ran!.meter.executionMs).toBeLessThan(900 + 700)
    expect(ran!.meter.executionMs).toBeGreaterThanOrEqual(700)
  })

  test('an outcome is told once, and one that nobody waits for not at all', async () => {
    const frozen = await frozenAt(pool, 'return await mcp.person.a()', 1)
    const run = thawed(pool, frozen, [])
    run.settle(fine(9, 'nobody'))
    run.settle(fine(1, 'first'))
    run.settle(fine(1, 'second'))
    expect(resultOf(await run.ended)).toBe('first')
  })

  test('an outcome that has come is not lost when it is taken out again', async () => {
    const frozen = await frozenAt(pool, 'const a = await mcp.person.a(); return [a, await mcp.person.b()]', 1)
    const never = { ...hands, call: () => new Promise<string>(() => undefined) }
    const run = thawed(pool, frozen, [fine(1, 'a')], { hands: never })
    const again = await run.freeze()
    expect(again?.frozen.calls).toEqual([2])
    expect(resultOf(await thawed(pool, again!, [fine(2, 'b')]).ended)).toEqual(['a', 'b'])
  })

  test('one that waits for its turn goes on with what has come, and is taken out then', async () => {
    const one = openTestPool({ min: 1, max: 1 })
    pools.push(one)
    const code = 'const a = await mcp.person.a(); return [a, await mcp.person.b()]'
    const frozen = await frozenAt(one, code, 1)
    const loop = runIn(one, 'for (;;) {}')
    const never = { ...hands, call: () => new Promise<string>(() => undefined) }
    const again = thawed(one, frozen, [fine(1, 'a')], { hands: never }).freeze()
    loop.end({ how: 'cancelled', message: 'enough' })
    expect((await again)?.frozen.calls).toEqual([2])
  })

  test('one that has ended cannot be taken out, and one that is taken out has not ended', async () => {
    const run = runIn(pool, 'return 1')
    await run.ended
    expect(await run.freeze()).toBeUndefined()
    const loop = runIn(pool, 'for (;;) {}', { limits: { ...limits, cpuMs: 50 } })
    expect(await loop.freeze()).toBeUndefined()
    expect((await loop.ended)?.ending.how).toBe('timeout')
  })

  test('is small', async () => {
    const { frozen } = await frozenAt(pool, 'const a = [1, 2, 3]; await mcp.person.a(); return a', 1)
    expect(frozen.bytes.length).toBeLessThan(300_000)
    const stored = storedRun(frozen)
    const memory = await stored.memory
    expect(memory.length).toBeLessThan(60_000)
    expect(await readRun(stored.image, memory, stored.state)).toEqual(frozen)
  })

  test('is refused when it is damaged', async () => {
    const { frozen } = await frozenAt(pool, 'await mcp.person.a()', 1)
    const { image, memory: packed, state } = storedRun(frozen)
    const memory = await packed
    await expect(readRun(image, memory, { ...state, size: 4096 })).rejects.toThrow(/damaged/)
    await expect(readRun(image, memory, { ...state, granules: 1 })).rejects.toThrow(/larger/)
    await expect(readRun(image, memory.slice(0, 100), state)).rejects.toThrow(/end/)
  })
})
