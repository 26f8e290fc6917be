import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { someAtATime } from './some-at-a-time.ts'

it('does so many at the same time and no more, and keeps their order', async () => {
  let [now, most] = [0, 0]
  const results = await someAtATime([5, 1, 4, 0, 2, 3], 3, async (turns) => {
    now += 1
    most = Math.max(most, now)
    for (let count = 0; count < turns; count += 1) await turn()
    now -= 1
    return turns * 2
  })
  expect(results).toEqual([10, 2, 8, 0, 4, 6])
  expect(most).toBe(3)
})

it('rejects with what went wrong', async () => {
  const work = (item: number) => (item === 2 ? Promise.reject(new Error('two')) : Promise.resolve(item))
  await expect(someAtATime([1, 2, 3], 2, work)).rejects.toThrow('two')
})
