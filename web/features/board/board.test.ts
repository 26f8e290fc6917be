import { describe, expect, it } from 'vitest'
import type { Card } from '../../../src/contract/board-event.ts'
import { applyCard, applyEvent, isBoardEvent } from './apply-event.ts'
import { emptyBoard, extend, find, isWhole, place } from './board.ts'
import type { Board } from './board.ts'

const card = (id: string, position: string, more: Partial<Card> = {}): Card => ({
  id,
  title: `Task ${id}`,
  status: 'todo',
  priority: 'medium',
  parentTaskId: null,
  assigneeAgentId: null,
  workspaceId: null,
  position,
  depth: 0,
  dependsOnTaskIds: [],
  createdBy: 'owner',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...more,
})
const later = '2026-01-02T00:00:00.000Z'
const ids = (board: Board, status: Card['status'] = 'todo') =>
  board[status].cards.map((each) => each.id).join('')
const three = extend(emptyBoard, 'todo', [card('a', 'a1'), card('b', 'a5'), card('c', 'a9')], 3)
const head = extend(emptyBoard, 'todo', [card('a', 'a1'), card('b', 'a5')], 10)
const assigned = 'agent'
const gone = (taskId: string) => ({ type: 'task.deleted' as const, payload: { taskId, title: '', by: 'x' } })

describe('a column', () => {
  it('orders positions as bytes, not as people would', () => {
    expect(ids(extend(emptyBoard, 'todo', [card('a', 'Zz'), card('b', 'a0'), card('c', 'a0V')], 3))).toBe(
      'abc',
    )
    expect(ids(place(three, card('z', 'Zz')))).toBe('zabc')
  })

  it('takes a card out of the column it left', () => {
    const moved = place(three, card('b', 'a0', { status: 'done' }))
    expect([ids(moved), ids(moved, 'done')]).toEqual(['ac', 'b'])
    expect([moved.todo.total, moved.done.total]).toEqual([2, 1])
  })

  it('keeps the identity of columns that nothing happened to', () => {
    expect(place(three, card('b', 'a0', { status: 'done' })).blocked).toBe(three.blocked)
  })

  it('shows a card above the last loaded one, and only counts one below it', () => {
    expect(ids(place(head, card('x', 'a3')))).toBe('axb')
    const below = place(head, card('x', 'a7'))
    expect(ids(below)).toBe('ab')
    expect(below.todo).toMatchObject({ total: 11, guessed: true })
  })

  it('keeps what it knew of a card that is told without its description', () => {
    const described = place(three, card('b', 'a5', { description: 'why' }))
    expect(find(place(described, card('b', 'a6')), 'b')?.card.description).toBe('why')
  })
})

describe('a page that was read', () => {
  it('overlaps with what is there without doubling it', () => {
    const next = extend(head, 'todo', [card('b', 'a5'), card('c', 'a6')], 10)
    expect(ids(next)).toBe('abc')
    expect(isWhole(next.todo)).toBe(false)
  })

  it('hides cards that stand beyond it, because there may be unread ones before them', () => {
    const stray = { ...head, todo: { cards: [...head.todo.cards, card('z', 'a9')], total: 10 } }
    expect(ids(extend(stray, 'todo', [card('b', 'a5'), card('c', 'a6')], 10))).toBe('abc')
  })

  it('does not bring back a card that has moved on since', () => {
    const moved = place(head, card('b', 'a0', { status: 'done', updatedAt: later }))
    const next = extend(moved, 'todo', [card('a', 'a1'), card('b', 'a5'), card('c', 'a9')], 3)
    expect([ids(next), ids(next, 'done'), next.todo.total]).toEqual(['ac', 'b', 2])
  })

  it('moves a card whose event is still under way', () => {
    const next = extend(three, 'done', [card('b', 'a0', { status: 'done', updatedAt: later })], 1)
    expect([ids(next), ids(next, 'done'), next.todo.total]).toEqual(['ac', 'b', 2])
  })
})

describe('an event', () => {
  const moved = {
    task: card('b', 'a0', { status: 'done', updatedAt: later }),
    from: 'todo',
    to: 'done',
    by: 'x',
  } as const

  it('is taken in once, however often it is told', () => {
    const once = applyEvent(three, { type: 'task.moved', payload: moved }) as Board
    const twice = applyEvent(once, { type: 'task.moved', payload: moved }) as Board
    expect(twice).toEqual(once)
    expect([ids(twice), ids(twice, 'done')]).toEqual(['ac', 'b'])
  })

  it('that is older than what is shown changes nothing', () => {
    const shown = applyEvent(three, { type: 'task.moved', payload: moved }) as Board
    const old = { task: card('b', 'a2', { title: 'Old' }), by: 'x' }
    expect(applyEvent(shown, { type: 'task.reordered', payload: old })).toBe(shown)
  })

  it('counts a card that moves between columns below the loaded ones', () => {
    const payload = { ...moved, task: card('y', 'a0', { status: 'done' }) }
    const next = applyEvent(head, { type: 'task.moved', payload }) as Board
    expect(next.todo).toMatchObject({ total: 9, guessed: true })
    expect(ids(next, 'done')).toBe('y')
  })

  it('does not count an edit below the loaded cards as a new card', () => {
    const payload = { task: card('y', 'a7'), changed: ['title' as const], by: 'x' }
    expect((applyEvent(head, { type: 'task.edited', payload }) as Board).todo.total).toBe(10)
  })

  it('removes a deleted card, and asks for a count when it was not loaded', () => {
    expect(ids(applyEvent(three, gone('b')) as Board)).toBe('ac')
    expect(applyEvent(three, gone('nobody'))).toBe(three)
    expect((applyEvent(head, gone('nobody')) as Board).todo.guessed).toBe(true)
  })

  it('reads a column again whose positions were respread', () => {
    expect(applyEvent(three, { type: 'column.respread', payload: { status: 'todo' } })).toBe('reread')
  })
})

describe('a filtered board', () => {
  it('lets go of a card that no longer fits, and takes in one that does now', () => {
    const filter = { assigneeAgentId: assigned }
    const mine = extend(emptyBoard, 'todo', [card('a', 'a1', { assigneeAgentId: assigned })], 1)
    expect(ids(applyCard(mine, card('a', 'a1'), filter) as Board)).toBe('')
    expect(ids(applyCard(mine, card('b', 'a2', { assigneeAgentId: assigned }), filter) as Board)).toBe('ab')
    expect(applyCard(mine, card('c', 'a3'), filter)).toBe(mine)
  })

  it('asks the server when a description could matter that was not told', () => {
    expect(applyCard(three, card('n', 'a2', { title: 'Other' }), { q: 'task' })).toBe('reread')
    expect(applyCard(three, card('n', 'a2', { title: 'Other', description: '' }), { q: 'task' })).toBe(three)
    expect(ids(applyCard(three, card('n', 'a2', { title: 'A TASK' }), { q: 'task' }) as Board)).toBe('anbc')
  })
})

it('leaves alone what the stream tells of other things, now or in a later version', () => {
  const types = ['task.moved', 'column.respread', 'execution.later', 'approval.waiting', 'toString', '']
  expect(types.filter((type) => isBoardEvent({ type, payload: {} }))).toEqual([
    'task.moved',
    'column.respread',
  ])
})
