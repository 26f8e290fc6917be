import { describe, expect, test } from 'vitest'
import { fits, literally } from './glob.ts'

describe('a glob', () => {
  test.each([
    ['Bash', 'Bash', true],
    ['Bash', 'bash', false],
    ['Bash', 'Bash2', false],
    ['mcp__*', 'mcp__files__read', true],
    ['mcp__*', 'mcp__', true],
    ['*', '', true],
    ['', '', true],
    ['', 'x', false],
    ['*test*', 'npm run test:all', true],
    ['a*b*c', 'aXbXbXc', true],
    ['a*b*c', 'aXcXb', false],
    ['*ab', 'aab', true],
    [String.raw`a\*b`, 'a*b', true],
    [String.raw`a\*b`, 'aXb', false],
    [String.raw`a\\*`, String.raw`a\b`, true],
    ['a\\', 'a\\', true],
    ['a.c', 'abc', false],
    ['a?c', 'abc', false],
    ['*\n*', 'a\nb', true],
    ['*🚂', 'x🚂', true],
  ])('%j and %j: %j', (glob, text, expected) => {
    expect(fits(glob, text)).toBe(expected)
  })

  test.each(['a*b', String.raw`C:\*`, '***', '\\', String.raw`\\*`, 'plain'])(
    'made of %j fits that alone',
    (text) => {
      expect(fits(literally(text), text)).toBe(true)
      expect(fits(literally(text), `${text}x`)).toBe(false)
      expect(fits(literally(text), text.replace('*', 'x'))).toBe(!text.includes('*'))
    },
  )

  test.each([
    ['git *', 'git log', true],
    ['git *', 'git log; rm', false],
    ['* | head', 'git log | head', true],
    ['* | head', 'git log | sh | head', false],
    ['*;*;', 'a;b;', true],
    ['*;*', 'a;b;c', false],
    ['*a;*', 'aa;b', true],
  ])('with what a star never stands for: %j and %j: %j', (glob, text, expected) => {
    expect(fits(glob, text, /[;|]/)).toBe(expected)
  })

  test.each([
    ['src/*', 'src/a', true],
    ['src/*', 'src/../a', false],
    ['src/.*', 'src/..', false],
    ['src/*./a', 'src/../a', false],
    ['src/../*', 'src/../a', true],
    ['src/../*', 'src/../../a', false],
    ['*/../*', 'src/../a', true],
  ])(
    'with more than one character that a star stands for no part of: %j and %j: %j',
    (glob, text, expected) => {
      expect(fits(glob, text, /\.\./)).toBe(expected)
    },
  )

  test('with many stars does not take for ever', () => {
    expect(fits('*a'.repeat(500), `${'a'.repeat(5_000)}b`)).toBe(false)
  }, 2_000)
})
