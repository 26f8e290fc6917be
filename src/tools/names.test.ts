import { expect, test } from 'vitest'
import { nameTools } from './names.ts'

const naming = (namespace: string, ...names: string[]) =>
  nameTools(
    namespace,
    names.map((name) => ({ name })),
  )
const namesOf = (namespace: string, ...names: string[]) =>
  naming(namespace, ...names).named.map(({ name, wireName }) => [name, wireName])

test('a tool has the name of its source before its own', () => {
  expect(namesOf('github', 'get_issue', 'list-repos')).toEqual([
    ['github.get_issue', 'github__get_issue'],
    ['github.list-repos', 'github__list-repos'],
  ])
})

test('the tools of the board have their plain names on the wire', () => {
  expect(namesOf('board', 'create_task')).toEqual([['board.create_task', 'create_task']])
})

test.each([
  ['nothing', ''],
  ['another script', '查询'],
  ['control characters', 'a\u0000b\u001b[2J\n'],
  ['a lone surrogate', '\ud800'],
  ['a huge one', 'x'.repeat(1_000_000)],
  ['a path', '../../etc/passwd'],
  ['a name of ours', 'board__create_task'],
])('%s becomes a name that every client takes, and the same each time', (_, name) => {
  const [[canonical, wire] = []] = namesOf('evil', name)
  expect(wire).toMatch(/^evil__[\w-]{1,58}$/)
  expect(canonical).toMatch(/^evil\.[\w.-]{1,128}$/)
  expect(namesOf('evil', 'other', name)[1]).toEqual([canonical, wire])
})

test('long names differ at their ends', () => {
  const long = 'a'.repeat(100)
  const wires = namesOf('some-rather-long-name-of-a-source', `${long}1`, `${long}2`).map(([, wire]) => wire)
  expect(new Set(wires).size).toBe(2)
  for (const wire of wires) expect(wire).toHaveLength(64)
})

test('of two that would be the same, the one that is written so keeps its name, whatever the order', () => {
  const [first, second] = [namesOf('s', 'get.user', 'get_user'), namesOf('s', 'get_user', 'get.user')]
  expect(first).toContainEqual(['s.get_user', 's__get_user'])
  expect(first).toContainEqual(['s.get.user', expect.stringMatching(/^s__get_user_[0-9a-f]{8}$/)])
  expect(first.toSorted()).toEqual(second.toSorted())
  expect(naming('s', 'get.user', 'get_user').collisions).toEqual([
    {
      name: 's__get_user',
      source: 's',
      tool: 'get.user',
      told: expect.stringContaining('more than one tool'),
    },
  ])
})

test('names that become the same by what is taken out of them are told apart', () => {
  const { named, collisions } = naming('s', 'a b', 'a/b', 'a:b')
  expect(new Set(named.map(({ name }) => name)).size).toBe(3)
  expect(new Set(named.map(({ wireName }) => wireName)).size).toBe(3)
  expect(collisions).toHaveLength(2)
})

test('a name that is offered twice is there once, and that is told', () => {
  const { named, collisions } = naming('s', 'same', 'same', 'other')
  expect(named.map(({ name }) => name)).toEqual(['s.same', 's.other'])
  expect(collisions).toEqual([
    { name: 's.same', source: 's', tool: 'same', told: expect.stringContaining('more than once') },
  ])
})

test('ten thousand names take no time worth speaking of', () => {
  const names = Array.from({ length: 10_000 }, (_, at) => `tool ${at % 5_000}${at >= 5_000 ? '/' : ':'}`)
  expect(new Set(namesOf('s', ...names).map(([, wire]) => wire)).size).toBe(10_000)
})
