import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkArgsSchema } from './args-schema.ts'
import { Problem } from './problem.ts'
import { flagPattern, spreadIn } from './spread.ts'
import { fillTemplate } from './template.ts'
import type { SlotValues } from './slot.ts'

const schema = {
  type: 'object',
  properties: {
    force: { type: 'boolean', 'x-flag': '--force' },
    message: { type: 'string', 'x-flag': '-m' },
    format: { type: 'string', 'x-flag': '--format', 'x-joined': true },
    config: { type: 'array', items: { type: 'string' }, 'x-flag': '--config' },
    files: { type: 'array', items: { type: 'string' } },
    file: { type: 'string' },
  },
}
const fill = (tokens: string[], values: SlotValues) => fillTemplate(tokens, values, schema)

function complaintOf(tokens: string[], values: SlotValues): string {
  try {
    fill(tokens, values)
    return 'filled'
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.message.replace('The body does not fit: ', '')
  }
}

/** What it is filled to; nothing where it is refused in words. */
function filledOrRefused(tokens: string[], values: SlotValues): string[] {
  try {
    return fill(tokens, values)
  } catch (error) {
    if (error instanceof Problem) return []
    throw error
  }
}

describe('a spread', () => {
  test('stands for nothing where there is nothing', () => {
    for (const nothing of [{}, { force: null }, { force: false }, { force: [] }, { force: [false, null] }])
      expect(fill(['a', '{{force...}}', 'b'], nothing)).toEqual(['a', 'b'])
    expect(fill(['{{constructor...}}', '{{toString...}}'], {})).toEqual([])
  })

  test.each([
    ['{{force...}}', { force: true }, ['--force']],
    ['{{force...}}', { force: [true, true] }, ['--force', '--force']],
    ['{{message...}}', { message: 'a b' }, ['-m', 'a b']],
    ['{{message...}}', { message: '' }, ['-m', '']],
    ['{{message...}}', { message: 3 }, ['-m', '3']],
    ['{{format...}}', { format: '%H\n-x' }, ['--format=%H\n-x']],
    ['{{format...}}', { format: '-x' }, ['--format=-x']],
    ['{{format...}}', { format: ['a', 1] }, ['--format=a', '--format=1']],
    ['{{config...}}', { config: ['a=1', 'b=2'] }, ['--config', 'a=1', '--config', 'b=2']],
    ['{{files...}}', { files: ['a b', '', 'c'] }, ['a b', '', 'c']],
    ['{{file...}}', { file: '$(id)' }, ['$(id)']],
    ['{{prompt...}}', { prompt: 'do it' }, ['do it']],
  ])('%s of %j', (token, values, words) => {
    expect(fill(['x', token, 'y'], values)).toEqual(['x', ...words, 'y'])
  })

  test.each([
    ['{{files...}}', { files: ['a', '-rf'] }, 'args.files.1: would be read as an option: it begins with "-"'],
    ['{{files...}}', { files: ['--'] }, 'args.files.0: would be read as an option: it begins with "-"'],
    ['{{file...}}', { file: -5 }, 'args.file: would be read as an option: it begins with "-"'],
    [
      '{{message...}}',
      { message: '--amend' },
      'args.message: would be read as an option: it begins with "-"',
    ],
    ['{{config...}}', { config: ['-c'] }, 'args.config.0: would be read as an option: it begins with "-"'],
    ['{{prompt...}}', { prompt: '-p' }, 'prompt: would be read as an option: it begins with "-"'],
    ['{{file...}}', { file: {} }, 'args.file: must be a text, a number, true or false'],
    ['{{files...}}', { files: [['a']] }, 'args.files.0: must be a text, a number, true or false'],
    ['{{format...}}', { format: 'a\0b' }, 'args.format: must not contain a NUL character'],
    ['{{files...}}', { files: ['\ud800'] }, 'args.files.0: must be well-formed Unicode'],
  ])('%s of %j is refused', (token, values, reason) => {
    expect(complaintOf([token], values)).toBe(reason)
  })

  test('that would be too much is refused', () => {
    expect(complaintOf(['{{file...}}'], { file: 'x'.repeat(65_537) })).toBe(
      'args.file: is 65537 bytes long; at most 65536 can be passed',
    )
    const files = Array.from({ length: 1001 }, () => 'a')
    expect(complaintOf(['{{files...}}'], { files: files.slice(1) })).toBe('filled')
    expect(complaintOf(['{{files...}}'], { files })).toBe(
      'args: make a command of 1001 words; at most 1000 can be passed',
    )
  })

  test('after "--" is only text', () => {
    expect(fill(['--', '{{files...}}'], { files: ['-rf', '--'] })).toEqual(['--', '-rf', '--'])
  })

  test('takes its option only from the schema of its own slot', () => {
    expect(fill(['{{file...}}'], { file: 'a', 'x-flag': '--force' })).toEqual(['a'])
    expect(() => fill(['{{file...}}'], { file: { 'x-flag': '--force' } })).toThrow(Problem)
  })

  test('is only a whole token', () => {
    expect(spreadIn('{{a.b-c...}}')).toBe('a.b-c')
    const others = ['{{a}}', 'x{{a...}}', '{{a...}}x', '{{...}}', '{{a..}}', '{{ a... }}', '{{a...}}\n']
    expect(others.filter((token) => spreadIn(token) !== undefined)).toEqual([])
    expect(() => fillTemplate(['x{{a...}}'], { a: 'b' })).toThrow('can only be a whole token')
  })

  test('never makes an option that the author did not write, whatever the values are', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('--force', '-', '--', '-rf', '--format=x', '{{force...}}'),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    )
    const values = fc.dictionary(
      fc.constantFrom('force', 'message', 'format', 'config', 'files', 'file'),
      fc.oneof(value, fc.array(value, { maxLength: 5 })),
    )
    const tokens = [
      '{{force...}}',
      '{{message...}}',
      '{{format...}}',
      '{{config...}}',
      '{{files...}}',
      '{{file...}}',
    ]
    fc.assert(
      fc.property(values, (given) => {
        const argv = filledOrRefused(tokens, given)
        const options = argv.filter((element) => element.startsWith('-'))
        expect(
          options.filter((word) => !/^(--force|-m|--config|--format|--format=[^]*)$/.test(word)),
        ).toEqual([])
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the option of a property', () => {
  const refusalOf = (property: Record<string, unknown>) => {
    try {
      checkArgsSchema({ type: 'object', properties: { a: property } })
      return 'fits'
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return error.message
    }
  }

  test.each(['--message', '-m', '-?', '-vcodec', '-c:v', '--no-x', '-1', '--a_b.c', '-lstdc++'])(
    'may be %s',
    (flag) => expect(refusalOf({ type: 'string', 'x-flag': flag })).toBe('fits'),
  )

  test.each([
    '',
    '-',
    '--',
    '---x',
    'x',
    '--a b',
    '--a=b',
    '-\n',
    '--a\n',
    '-é',
    '--x\0',
    ' -x',
    7,
    null,
    ['-a'],
  ])('cannot be %j', (flag) => expect(refusalOf({ 'x-flag': flag })).toContain('x-flag'))

  test('is joined or not, and nothing in between', () => {
    expect(refusalOf({ 'x-flag': '-a', 'x-joined': true })).toBe('fits')
    expect(refusalOf({ 'x-joined': 'yes' })).toContain('x-joined')
    expect(refusalOf({ 'x-other': true })).toContain('unknown keyword: "x-other"')
  })

  test('is a pattern without a way around the line', () => {
    const isFlag = (text: string) => new RegExp(flagPattern, 'u').test(text)
    const isPlain = (text: string) => /^--?[\w?][\w.:+-]*$/.test(text) && !text.includes('\n')
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isFlag(text) || isPlain(text)))
    expect(['--a\n', '-\n', '--'].filter(isFlag)).toEqual([])
  })
})
