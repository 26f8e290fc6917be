import { expect, it } from 'vitest'
import { countDrawn } from './count-drawn.ts'

function counting() {
  const told: number[] = []
  return { told, drawn: countDrawn((bytes) => told.push(bytes)) }
}

it('tells all that was drawn when nothing more is to be drawn', () => {
  const { told, drawn } = counting()
  const [one, two] = [drawn.expect(10), drawn.expect(5)]
  one()
  expect(told).toEqual([])
  two()
  expect(told).toEqual([15])
  drawn.expect(1)()
  expect(told).toEqual([15, 16])
})

it('tells in between where there is much, so that it goes on flowing', () => {
  const { told, drawn } = counting()
  const done = Array.from({ length: 10 }, () => drawn.expect(10_000))
  for (const each of done.slice(0, 9)) each()
  expect(told).toEqual([40_000, 80_000])
})

it('counts for each socket from nothing, and nothing of an earlier one', () => {
  const { told, drawn } = counting()
  const old = drawn.expect(1000)
  drawn.startOver()
  const fresh = drawn.expect(7)
  old()
  fresh()
  expect(told).toEqual([7])
})
