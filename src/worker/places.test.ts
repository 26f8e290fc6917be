import { expect, test } from 'vitest'
import { openPlaces } from './places.ts'

function chats(count: number, isWaiting: boolean) {
  const places = openPlaces(() => 2)
  const add = (id: string, waits: () => boolean) =>
    places.held.set(id, {
      queue: 'chat',
      driving: { done: Promise.resolve(), ring() {}, letGo: async () => undefined, isWaiting: waits },
    })
  for (let at = 0; at < count; at += 1) add(`${at}`, () => isWaiting)
  return { ...places, add }
}

test('chats that only wait for people take no place from others', () => {
  const { free, live, whyFull, add } = chats(150, true)
  expect([free('chat'), live('chat'), whyFull('chat')]).toEqual([100, 0, undefined])
  let isAnswered = false
  add('answered', () => !isAnswered)
  expect(free('chat')).toBe(100)
  isAnswered = true
  expect([free('chat'), free('coding'), free('tool')]).toEqual([99, 2, 16])
})

test('those that are at work do, and so do very many that wait; whoever waits for one of them is told', () => {
  const busy = chats(100, false)
  expect(busy.free('chat')).toBe(0)
  expect(busy.whyFull('chat')).toMatch(/100 are under way on this machine, 100 can be at once/)
  const many = chats(10_000, true)
  expect(many.free('chat')).toBe(0)
  expect(many.whyFull('chat')).toMatch(/10000 .* wait for people\. Answer/)
})

test('turns with models are told apart from what has a process', () => {
  const places = chats(1, false)
  expect([places.drivings(), places.drivings(['coding', 'tool'])]).toMatchObject([[{}], []])
})
