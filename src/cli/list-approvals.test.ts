import { expect, test } from 'vitest'
import type { Approval } from '#contract/approval.ts'
import { placedInQueue, whatIsAsked } from './list-approvals.ts'

const asked = (more: Partial<Approval>) =>
  whatIsAsked({
    tool: 'shop.buy',
    title: 'shop.buy',
    subject: null,
    questions: null,
    schema: null,
    ...more,
  } as Approval)

test('what a tool is called with is told with it', () => {
  expect(asked({ input: { what: 'tea', many: 2 } })).toBe('shop.buy {"what":"tea","many":2}')
  expect(asked({ input: {} })).toBe('shop.buy')
  expect(asked({ input: null })).toBe('shop.buy')
  expect(asked({ input: { what: 'x'.repeat(1_000) } })).toMatch(/^shop\.buy \{"what":"x+…$/)
  expect(asked({ input: { beginning: '{"what":"xx', characters: 90_000 } })).toBe('shop.buy {"what":"xx…')
})

test('of several that are asked together each has its place', () => {
  const one = { title: 'shop.buy', subject: null, input: { what: 'tea' }, position: 2, total: 5 } as Approval
  expect(placedInQueue(one)).toBe('2 of 5: shop.buy {"what":"tea"}')
  expect(placedInQueue({ ...one, position: 1, total: 1 })).toBe('shop.buy {"what":"tea"}')
  expect(placedInQueue({ ...one, position: 0 })).toBe('shop.buy {"what":"tea"}')
})

test('a command or a path speaks for itself, and so does what is to be filled in', () => {
  expect(asked({ tool: 'Bash', title: 'Bash', subject: 'rm -r x', input: { command: 'rm -r x' } })).toBe(
    'Bash: rm -r x',
  )
  expect(asked({ title: 'Run rm', subject: 'rm', input: { command: 'rm' } })).toBe('Run rm')
  expect(asked({ kind: 'danger', title: "sh -c 'rm x'", input: { command: ['sh'] } })).toBe("sh -c 'rm x'")
  expect(asked({ title: 'Which?', questions: [], input: { a: 1 } })).toBe('Which?')
})
