import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { argvOf } from '../../../src/domain/template.ts'
import { commandLine, quoted } from './command-line.ts'

const agent = { args: ['--no-pager'], binaryPath: '/usr/bin/git' }
const argsSchema = {
  type: 'object',
  properties: {
    force: { type: 'boolean', 'x-flag': '--force' },
    message: { type: 'string', 'x-flag': '-m' },
    format: { type: 'string', 'x-flag': '--format', 'x-joined': true },
    config: { type: 'array', items: { type: 'string' }, 'x-flag': '--config' },
    files: { type: 'array', items: { type: 'string' } },
    branch: { type: 'string' },
  },
}
const all = [
  '{{force...}}',
  '{{message...}}',
  '{{format...}}',
  '{{config...}}',
  'to/{{branch}}',
  '--',
  '{{files...}}',
]
const lineOf = (commandTokens: string[], given: object) =>
  commandLine(agent, { commandTokens, argsSchema }, given as Record<string, unknown>)
    .map(({ text }) => text)
    .join(' ')

it('shows options, their values and words only where there are some', () => {
  expect(lineOf(['git', 'push', ...all], { branch: 'x' })).toBe('git --no-pager push to/x --')
  expect(
    lineOf(['push', ...all], {
      force: true,
      message: 'a',
      format: 'b',
      config: ['c', 'd'],
      branch: 'x',
      files: ['e', 'f'],
    }),
  ).toBe('git --no-pager push --force -m a --format=b --config c --config d to/x -- e f')
})

it('shows the name of what is still needed', () => {
  expect(commandLine(agent, { commandTokens: ['{{branch}}'], argsSchema }, {}).at(-1)).toEqual({
    text: '‹branch›',
    isMissing: true,
  })
})

it('shows what the server is going to start', () => {
  const word = fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .filter((text) => !text.includes('\0') && !text.startsWith('-'))
  const values = fc.record(
    {
      force: fc.boolean(),
      message: fc.oneof(word, fc.nat()),
      format: word,
      config: fc.array(word, { maxLength: 3 }),
      files: fc.array(word, { maxLength: 3 }),
      branch: word,
    },
    { requiredKeys: ['branch'] },
  )
  const tokens = fc.shuffledSubarray(['git', 'push', ...all])
  fc.assert(
    fc.property(tokens, values, (commandTokens, given) => {
      const shown = commandLine(agent, { commandTokens, argsSchema }, given).map(({ text }) => text)
      expect(shown).toEqual(['git', ...argvOf(agent, { commandTokens, argsSchema }, given)])
    }),
  )
})

it('quotes so that a shell reads the same words', () => {
  const words = [
    'a',
    '',
    'a b',
    "it's",
    '$HOME',
    '`id`',
    '*',
    'a\nb',
    '"',
    '\\',
    '~',
    '#x',
    'é',
    '-',
    'a=b',
    '!!',
  ]
  const script = `printf '%s\\0' ${words.map(quoted).join(' ')}`
  const read = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
  expect(read.split('\0').slice(0, -1)).toEqual(words)
})
