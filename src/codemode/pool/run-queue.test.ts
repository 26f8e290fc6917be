import { expect, test } from 'vitest'
import { RunQueue } from './run-queue.ts'

const taken = (queue: RunQueue<string>) => {
  const all: string[] = []
  for (let item = queue.next(); item !== undefined; item = queue.next()) all.push(item)
  return all
}

test('everybody who waits gets one turn after the other', () => {
  const queue = new RunQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.add(item[0]!, item)
  expect(taken(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  expect(queue.size).toBe(0)
})

test('what has begun already comes before what its owner has not', () => {
  const queue = new RunQueue<string>()
  queue.add('a', 'a1')
  queue.add('b', 'b1')
  queue.add('a', 'a0', true)
  expect(taken(queue)).toEqual(['a0', 'b1', 'a1'])
})

test('what is taken out is not waited for', () => {
  const queue = new RunQueue<string>()
  queue.add('a', 'a1')
  queue.add('a', 'a2')
  expect(queue.remove('a', 'a1')).toBe(true)
  expect(queue.remove('a', 'a1')).toBe(false)
  expect([queue.size, queue.sizeOf('a')]).toEqual([1, 1])
  expect(taken(queue)).toEqual(['a2'])
})

test('whoever has least is first, and who has enough waits', () => {
  const queue = new RunQueue<string>()
  for (const item of ['a1', 'b1', 'c1', 'd1']) queue.add(item[0]!, item)
  const held = new Map([
    ['a', Infinity],
    ['b', 2],
    ['c', 1],
    ['d', 1],
  ])
  const next = () => queue.next((owner) => held.get(owner) ?? 0)
  expect([next(), next(), next(), next()]).toEqual(['c1', 'd1', 'b1', undefined])
  expect([...queue.owners]).toEqual(['a'])
})
