import { expect, it } from 'vitest'
import type { BoardEvent } from './apply-event.ts'
import { keepInJournal, startReading } from './journal.ts'

const gone = (taskId: string): BoardEvent => ({
  type: 'task.deleted',
  payload: { taskId, title: '', by: 'x' },
})

it('tells a reader what happened since it began, and nothing from before', () => {
  keepInJournal([gone('before')])
  const first = startReading()
  keepInJournal([gone('a'), gone('b')])
  const second = startReading()
  keepInJournal([gone('c')])
  expect([first(), second()]).toEqual([[gone('a'), gone('b'), gone('c')], [gone('c')]])
  expect(startReading()()).toEqual([])
})

it('admits when more happened than it keeps', () => {
  const told = startReading()
  keepInJournal(Array.from({ length: 2001 }, (_, number) => gone(String(number))))
  expect(told()).toBe('lost')
})
