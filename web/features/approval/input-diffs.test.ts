import { describe, expect, test } from 'vitest'
import { changesAsked } from './input-diffs.ts'

const textOf = (input: unknown) => changesAsked(input)?.diffs.map(({ path, text }) => [path, text])

describe('what is asked is shown as changes', () => {
  test('where an agent tells a place by what stands there, with all that it tells besides', () => {
    const input = { file_path: '/a.ts', old_string: 'one\n', new_string: 'two\n', replace_all: true }
    expect(textOf(input)).toEqual([['/a.ts', '@@ -1,1 +1,1 @@\n-one\n+two']])
    expect(changesAsked(input)?.rest).toEqual({ replace_all: true })
  })

  test('where it tells files before and after, or as diffs', () => {
    const diffs = [{ path: '/a', oldText: null, newText: 'new\n' }]
    expect(textOf({ title: 'Write a', paths: ['/a'], diffs })).toEqual([['/a', '@@ -0,0 +1,1 @@\n+new']])
    expect(changesAsked({ title: 'Write a', paths: ['/a', '/b'], diffs })?.rest).toEqual({
      paths: ['/a', '/b'],
    })
    const changes = [{ path: '/a', kind: 'update', diff: '@@ -1 +1 @@\n-x\n+y' }]
    expect(textOf({ changes, reason: 'why' })).toEqual([['/a', '@@ -1 +1 @@\n-x\n+y']])
    expect(changesAsked({ changes, reason: 'why' })?.rest).toEqual({ reason: 'why' })
  })
})

test('is shown letter by letter where not all of it would be seen as changes', () => {
  const long = 'x\n'.repeat(2000)
  expect(changesAsked({ file_path: '/a', old_string: '', new_string: long })).toBe(undefined)
  expect(changesAsked({ changes: [{ path: '/a', diff: '', kind: 'delete' }] })).toBe(undefined)
  expect(changesAsked({ changes: [{ path: '/a', diff: 'x', movedTo: '/etc/b' }] })).toBe(undefined)
  expect(changesAsked({ diffs: [{ newText: 'x' }] })).toBe(undefined)
  for (const input of [null, 'text', ['a'], { command: 'ls' }, { diffs: [] }])
    expect(changesAsked(input)).toBe(undefined)
})
