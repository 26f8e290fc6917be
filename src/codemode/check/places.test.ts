import { expect, it } from 'vitest'
import { Places } from './places.ts'

it('keeps a text where it is as long as it is used, and gives the place of the oldest to another', () => {
  const places = new Places(2)
  expect(places.of('a')).toEqual({ place: 0, isNew: true })
  expect(places.of('b')).toEqual({ place: 1, isNew: true })
  expect(places.of('a')).toEqual({ place: 0, isNew: false })
  expect(places.of('c')).toEqual({ place: 1, isNew: true })
  expect(places.of('a')).toEqual({ place: 0, isNew: false })
  expect(places.of('b')).toEqual({ place: 1, isNew: true })
  places.clear()
  expect(places.of('a')).toEqual({ place: 0, isNew: true })
})
