import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits, openTestPool, runIn } from '../../../test/support/code/code-pool.ts'
import {
  bombs,
  loops,
  oddities,
  pollution,
  refused,
  stuck,
  wrongEnding,
} from '../../../test/support/code/hostile.ts'
import type { Hostile } from '../../../test/support/code/hostile.ts'
import type { Pool } from './pool.ts'

let pool: Pool
let isOver = false
/** Somebody honest, beside all of it: their results are right, all the time. */
let beside: Promise<number>

async function honest(): Promise<number> {
  let count = 0
  for (; !isOver; count += 1) {
    const code = `const a = await mcp.a.echo(${count}); const b = await mcp.a.echo([a, context.who]); return [b, typeof leak, ({}).polluted]`
    const ran = await runIn(pool, code, { owner: 'honest' }).ended
    const { ending } = ran!
    if (ending.how !== 'returned' || ending.text !== `[[${count},"me"],"undefined",null]`)
      throw new Error(JSON.stringify(ending))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return count
}

beforeAll(() => {
  pool = openTestPool({ min: 2, max: 2, isVerified: true })
  beside = honest()
  beside.catch(() => undefined)
})
afterAll(() => pool.close())

/** What is wrong with how it ended, and with the pool after it. */
async function wrongWith(one: Hostile, cpuMs: number): Promise<string | undefined> {
  const ran = await runIn(pool, one.code, { limits: { ...limits, cpuMs }, timeoutMs: 60_000 }).ended
  return wrongEnding(one, ran!.ending) ?? (pool.load.crashed > 0 ? 'a thread was lost' : undefined)
}

describe('what does not end', () => {
  test.each(loops)('$name', async (one) => {
    expect(await wrongWith(one, 25)).toBeUndefined()
  })
})
describe('what does not even ask', () => {
  test.each(stuck)('$name', async (one) => {
    expect(await wrongWith(one, 25)).toBeUndefined()
    expect((await runIn(pool, 'return 1 + 1').ended)?.ending).toEqual({ how: 'returned', text: '2' })
  })
})
describe('what takes too much memory', () => {
  test.each(bombs)('$name', async (one) => {
    expect(await wrongWith(one, 5_000)).toBeUndefined()
  })
})
describe('what is refused', () => {
  test.each(refused)('$name', async (one) => {
    expect(await wrongWith(one, 5_000)).toBeUndefined()
  })
})
describe('what is done to the builtins', () => {
  test.each(pollution)('$name', async (one) => {
    expect(await wrongWith(one, 5_000)).toBeUndefined()
  })
})
describe('what is odd', () => {
  test.each(oddities)('$name', async (one) => {
    expect(await wrongWith(one, one.ends.includes('timeout') ? 50 : 5_000)).toBeUndefined()
  })
})

test('whoever is honest beside it notices nothing', async () => {
  isOver = true
  expect(await beside).toBeGreaterThan(10)
  expect(pool.load).toMatchObject({ busy: 0, waiting: 0, live: 0, crashed: 0 })
})
