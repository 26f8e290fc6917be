import { expect, test } from 'vitest'
import { judgeClasses, judgeClassesHere } from '../../../test/support/discovery/labelled.ts'
import type { Judged } from '../../../test/support/discovery/labelled.ts'

const tooMany = ({ looked, wrong }: Judged) => (wrong.length > looked * 0.05 ? wrong : [])

test('at least 95 of 100 common programs are taken for what they are', async () => {
  const judged = await judgeClasses()
  expect(judged.looked).toBeGreaterThanOrEqual(100)
  expect(tooMany(judged)).toEqual([])
})

test('and those of them that are really here as well', async () => {
  const judged = await judgeClassesHere()
  expect(judged.looked).toBeGreaterThan(0)
  expect(tooMany(judged)).toEqual([])
})
