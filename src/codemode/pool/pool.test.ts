import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { hands, jobOf, limits, openTestPool, runIn } from '../../../test/support/code/code-pool.ts'
import { neverSettles } from '../sandbox/run.ts'
import type { Job, LiveRun, PoolSettings, RunHands } from './job.ts'
import { PoolFull } from './job.ts'
import { graceMs } from './pool-thread.ts'
import type { Pool } from './pool.ts'

const pools: Pool[] = []
function open(settings: Partial<PoolSettings> = {}): Pool {
  const pool = openTestPool({ isVerified: true, ...settings })
  pools.push(pool)
  return pool
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
})

const until = (isTrue: () => boolean) =>
  vi.waitFor(() => expect(isTrue()).toBe(true), { timeout: 20_000, interval: 5 })
const resultOf = async (pool: Pool, code: string): Promise<unknown> => {
  const ran = await runIn(pool, code).ended
  return ran?.ending.how === 'returned' ? JSON.parse(ran.ending.text) : ran?.ending
}

/** Does not ask, for a long time, whether it may go on. */
const stuckCode = 'let s = "ab".repeat(5e4); for (;;) s.split("").reverse().join("")'
const endless = { timeoutMs: 600_000, limits: { ...limits, cpuMs: 600_000 } }
const enough = { how: 'cancelled', message: 'enough' } as const

/** A loop that has begun. */
async function begun(pool: Pool, more: Partial<Job>): Promise<LiveRun> {
  for (;;) {
    const run = runIn(pool, 'for (;;) {}', more)
    await Promise.race([run.ended, until(() => pool.load.busy === 1)])
    if (pool.load.busy === 1) return run
  }
}

/** Hands whose calls are answered by the test. */
function held(): RunHands & { answer(call: number, text: string): void; asked: number[]; logs: string[] } {
  const waiting = new Map<number, (text: string) => void>()
  const asked: number[] = []
  const logs: string[] = []
  return {
    asked,
    logs,
    call: (call) => new Promise((resolve) => void (asked.push(call), waiting.set(call, resolve))),
    log: (_level, text) => logs.push(text),
    answer: (call, text) => waiting.get(call)?.(text),
  }
}

describe('time', () => {
  test('begins when it starts, not when it is queued', async () => {
    const pool = open({ min: 1, max: 1 })
    const first = runIn(pool, 'for (;;) {}', { timeoutMs: 600 })
    const second = runIn(pool, 'return await mcp.a.echo(2)', { timeoutMs: 500 })
    expect((await first.ended)?.ending).toMatchObject({ how: 'timeout', of: 'wall' })
    expect((await second.ended)?.ending).toEqual({ how: 'returned', text: '2' })
  })

  test('whoever waits too long for their turn hears that all are busy', async () => {
    const pool = open({ min: 1, max: 1, longestWaitMs: 100 })
    const first = await begun(pool, { timeoutMs: 1_500 })
    const second = runIn(pool, 'return 2')
    expect((await second.ended)?.ending).toEqual({ how: 'busy', waitedMs: 100 })
    expect(pool.load.waiting).toBe(0)
    expect((await first.ended)?.ending.how).toBe('timeout')
  })

  test('the share of the processor is its own, whatever the others do', async () => {
    const pool = open({ min: 2, max: 2 })
    const ran = await runIn(pool, 'for (;;) {}', { limits: { ...limits, cpuMs: 50 } }).ended
    expect(ran?.ending).toMatchObject({ how: 'timeout', of: 'cpu' })
    expect(ran?.meter.cpuMs).toBeGreaterThan(50)
    const waiting = await runIn(pool, 'await mcp.a.wait(); return 1', {
      limits: { ...limits, cpuMs: 50 },
      hands: { ...hands, call: () => sleep(300, '1') },
    }).ended
    expect(waiting?.ending).toEqual({ how: 'returned', text: '1' })
    expect(waiting?.meter.cpuMs).toBeLessThan(50)
    expect(waiting?.meter.executionMs).toBeGreaterThan(290)
  })

  test('is given once more where it is asked for, and that is told once', async () => {
    const told = held()
    const job = { hands: told, isExtendable: true, timeoutMs: 300 }
    const ran = await runIn(open(), 'await mcp.a.wait()', job).ended
    expect(ran?.ending).toMatchObject({ how: 'timeout', of: 'wall' })
    expect(ran?.meter.executionMs).toBeGreaterThanOrEqual(600)
    expect(told.logs).toEqual(['Its time of 300 ms is used up, and it is given as much once more'])
  })

  test('of the processor is given once more as well', async () => {
    const told = held()
    const job = { hands: told, isExtendable: true, limits: { ...limits, cpuMs: 60 } }
    const ran = await runIn(open(), 'for (;;) {}', job).ended
    expect(ran?.ending).toMatchObject({ how: 'timeout', of: 'cpu' })
    expect(ran?.meter.cpuMs).toBeGreaterThanOrEqual(120)
    expect(told.logs).toHaveLength(1)
  })

  test('what waits for nobody ends at once', async () => {
    const pool = open()
    for (const code of ['await new Promise(() => {})', 'await mcp.a.echo(1); await new Promise(() => {})']) {
      const ran = await runIn(pool, code, { timeoutMs: 600_000 }).ended
      expect(ran?.ending).toEqual({ how: 'threw', error: { name: 'Error', message: neverSettles } })
    }
  })

  test('what waits for a call is waited for', async () => {
    const told = held()
    const run = runIn(open(), 'mcp.a.wait().then(() => console.log("late")); await new Promise(() => {})', {
      hands: told,
    })
    await until(() => told.asked.length === 1)
    told.answer(1, '1')
    expect((await run.ended)?.ending).toMatchObject({ how: 'threw', error: { message: neverSettles } })
    expect(told.logs).toEqual(['late'])
  })
})

describe('endings', () => {
  test('a loop is ended from outside, in the middle of it', async () => {
    const pool = open()
    const run = runIn(pool, 'console.log("in"); for (;;) {}', {
      timeoutMs: 600_000,
      limits: { ...limits, cpuMs: 600_000 },
    })
    await until(() => pool.load.busy === 1)
    run.end({ how: 'cancelled', message: 'enough' })
    expect((await run.ended)?.ending).toEqual({ how: 'cancelled', message: 'enough' })
    expect(pool.load).toMatchObject({ crashed: 0, stuck: 0 })
  })

  test('a builtin that does not ask is ended with its thread, and nobody else is', async () => {
    const pool = open({ min: 2, max: 2 })
    const told = held()
    const beside = runIn(pool, 'return await mcp.a.wait()', { hands: told })
    await until(() => told.asked.length === 1)
    const stuck = runIn(pool, stuckCode, {
      timeoutMs: 600_000,
      limits: { ...limits, cpuMs: 600_000 },
    })
    await until(() => pool.load.waiting === 0)
    stuck.end({ how: 'cancelled', message: 'enough' })
    expect((await stuck.ended)?.ending).toEqual({ how: 'cancelled', message: 'enough' })
    told.answer(1, '7')
    expect((await beside.ended)?.ending).toEqual({ how: 'returned', text: '7' })
    expect(await resultOf(pool, 'return 1 + 1')).toBe(2)
    await until(() => pool.load.threads === 2)
    expect(pool.load.stuck).toBe(1)
  })

  test('a builtin that does not ask is ended when its share of the processor is used up', async () => {
    const ran = await runIn(open(), stuckCode, { timeoutMs: 600_000, limits: { ...limits, cpuMs: 100 } })
      .ended
    expect(ran?.ending).toMatchObject({ how: 'timeout', of: 'cpu' })
    expect(ran?.meter.cpuMs).toBeGreaterThan(100 + graceMs)
    expect(ran?.meter.memoryBytes).toBeGreaterThan(0)
  })

  test('one that had to be ended with its thread is told with what it has used', async () => {
    const code = `const a = Array.from({ length: 20_000 }, (_, i) => ({ i })); await mcp.a.echo(1); ${stuckCode}`
    const ran = await runIn(open(), code, { timeoutMs: 1_500 }).ended
    expect(ran?.ending).toMatchObject({ how: 'timeout', of: 'wall' })
    expect(ran?.meter.cpuMs).toBeGreaterThan(20)
    expect(ran?.meter.memoryBytes).toBeGreaterThan(20_000 * 48)
    expect(ran?.meter.calls).toBe(1)
  })

  test('all that is there ends when the pool is closed', async () => {
    const pool = open({ min: 1, max: 1 })
    const runs = [await begun(pool, {}), runIn(pool, 'return 1'), runIn(pool, 'return 2')]
    await pool.close()
    for (const run of runs) expect((await run.ended)?.ending.how).toBe('crashed')
    expect(() => runIn(pool, 'return 1')).toThrow(PoolFull)
  })
})

describe('loops of others', () => {
  const loopsOf = (pool: Pool, owner: string, count: number, code = 'for (;;) {}') =>
    Array.from({ length: count }, () => runIn(pool, code, { ...endless, owner }))
  const longest = async (pool: Pool, owner: string, count: number): Promise<number> => {
    let most = 0
    for (let at = 0; at < count; at += 1) {
      const since = performance.now()
      const ran = await runIn(pool, 'return 42', { owner }).ended
      expect(ran?.ending).toEqual({ how: 'returned', text: '42' })
      most = Math.max(most, performance.now() - since)
    }
    return most
  }

  test('keep nobody else waiting, and their owner has no more threads than before', async () => {
    const pool = open({ min: 1, max: 2, idleMs: 200 })
    const loops = loopsOf(pool, 'greedy', 4)
    await until(() => pool.load.busy === 2)
    expect(await longest(pool, 'modest', 100)).toBeLessThan(5_000)
    expect(pool.load).toMatchObject({ threads: 3, busy: 2, waiting: 2 })
    for (const loop of loops) loop.end(enough)
    await Promise.all(loops.map((loop) => loop.ended))
    await until(() => pool.load.threads === 1)
  }, 60_000)

  test('also when they call something all the time', async () => {
    const pool = open({ min: 2, max: 2 })
    const code = 'for (;;) await mcp.a.echo(1)'
    const job = { ...endless, limits: { ...endless.limits, calls: 1e9 }, owner: 'greedy' }
    const loops = [runIn(pool, code, job), runIn(pool, code, job)]
    await until(() => pool.load.busy === 2)
    expect(await longest(pool, 'modest', 5)).toBeLessThan(5_000)
    for (const loop of loops) loop.end(enough)
  }, 60_000)

  test('of several: each has a thread, and the next one finds another', async () => {
    const pool = open({ min: 1, max: 1 })
    const loops = ['a', 'b', 'c'].flatMap((owner) => loopsOf(pool, owner, 2))
    await until(() => pool.load.busy === 3)
    expect(await longest(pool, 'modest', 3)).toBeLessThan(5_000)
    expect(pool.load).toMatchObject({ threads: 4, busy: 3, waiting: 3 })
    for (const loop of loops) loop.end(enough)
  }, 60_000)
})

describe('threads', () => {
  test('one is spare before it is needed, and is let go when it was not', async () => {
    const pool = open({ min: 1, max: 3, idleMs: 200 })
    await until(() => pool.load.threads === 1)
    const told = held()
    const run = runIn(pool, 'await mcp.a.wait()', { hands: told })
    await until(() => told.asked.length === 1 && pool.load.threads === 2)
    told.answer(1, '1')
    await run.ended
    await until(() => pool.load.threads === 1)
    expect(await resultOf(pool, 'return 1')).toBe(1)
  })

  test('there are never more than there may be', async () => {
    const pool = open({ min: 1, max: 2 })
    const runs = Array.from({ length: 30 }, (_, index) => resultOf(pool, `return await mcp.a.echo(${index})`))
    let most = 0
    const watch = setInterval(() => (most = Math.max(most, pool.load.threads)), 1)
    expect(await Promise.all(runs)).toEqual(Array.from({ length: 30 }, (_, index) => index))
    clearInterval(watch)
    expect(most).toBeLessThanOrEqual(2)
  })

  test('many that wait share one thread', async () => {
    const pool = open({ min: 1, max: 1 })
    const told = Array.from({ length: 40 }, () => held())
    const runs = told.map((one, index) =>
      runIn(pool, `const x = { n: ${index} }; const r = await mcp.a.wait(); return [x.n, r]`, { hands: one }),
    )
    await until(() => told.every((one) => one.asked.length === 1))
    expect(pool.load).toMatchObject({ threads: 1, live: 40 })
    for (const [index, one] of told.entries()) one.answer(1, String(index * 2))
    for (const [index, run] of runs.entries())
      expect((await run.ended)?.ending).toEqual({ how: 'returned', text: `[${index},${index * 2}]` })
  })

  test('nobody waits longer because another one asks for more', async () => {
    const pool = open({ min: 1, max: 1 })
    const order: string[] = []
    const go = (owner: string) => runIn(pool, 'return 1', { owner }).ended.then(() => order.push(owner))
    await Promise.all([...Array.from({ length: 50 }, () => go('greedy')), go('modest'), go('modest')])
    expect(order.lastIndexOf('modest')).toBeLessThan(6)
  })

  test('too many are not let in', async () => {
    const pool = open({ min: 1, max: 1, mostWaiting: 4, mostWaitingOfOne: 2 })
    const first = await begun(pool, {})
    const more = ['a', 'a', 'b', 'b'].map((owner) => runIn(pool, 'return 1', { owner }))
    expect(() => runIn(pool, 'return 1', { owner: 'c' })).toThrow(PoolFull)
    first.end({ how: 'cancelled', message: 'enough' })
    await Promise.all(more.map((run) => run.ended))
    expect(await resultOf(pool, 'return 3')).toBe(3)
  })

  test('too many of one are not let in', async () => {
    const pool = open({ min: 1, max: 1, mostWaitingOfOne: 1 })
    const first = await begun(pool, {})
    const second = runIn(pool, 'return 1')
    expect(() => runIn(pool, 'return 1')).toThrow(PoolFull)
    const third = runIn(pool, 'return 1', { owner: 'another' })
    first.end({ how: 'cancelled', message: 'enough' })
    await Promise.all([second, third].map((run) => run.ended))
  })

  test('a call that fails in a strange way is an error in the code', async () => {
    const strange = (error: unknown): RunHands => ({
      ...hands,
      call: async () => {
        throw error
      },
    })
    const details: Record<string, unknown> = {}
    details['self'] = details
    for (const error of [Object.assign(new Error('odd'), { details }), 'odd'])
      expect(
        (
          await open().run(
            jobOf('try { await mcp.a.b() } catch (e) { return e.message }', { hands: strange(error) }),
          ).ended
        )?.ending,
      ).toEqual({ how: 'returned', text: '"odd"' })
  })
})
