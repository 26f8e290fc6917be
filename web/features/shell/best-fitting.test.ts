import { expect, test } from 'vitest'
import { bestFitting } from './best-fitting.ts'

test('finds what has all the words, and puts first what begins with them', () => {
  const names = ['Repair the signal', 'Signal lamps', 'Lamps', 'A lamp for the signal']
  const find = (wanted: string) => bestFitting(names, wanted, (name) => name)
  expect(find('signal')).toEqual(['Signal lamps', 'Repair the signal', 'A lamp for the signal'])
  expect(find('LAMP signal')).toEqual(['Signal lamps', 'A lamp for the signal'])
  expect(find('bridge')).toEqual([])
  expect(bestFitting(undefined, 'x', String)).toEqual([])
})
