import { describe, expect, test } from 'vitest'
import { Problem } from './problem.ts'
import { argvOf, fillTemplate, slotValues, withoutProgram } from './template.ts'
import type { SlotValues } from './slot.ts'

/** The first complaint, as `field: reason`; `filled` when there is none. */
function complaintOf(tokens: string[], values: SlotValues): string {
  try {
    fillTemplate(tokens, values)
    return 'filled'
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.message.replace('The body does not fit: ', '')
  }
}

describe('a value', () => {
  test.each([
    ['spaces and quotes', `a b 'c' "d"`],
    ['line breaks', 'one\ntwo\r\nthree'],
    ['what a shell would run', '$(rm -rf /); `id` && x | y > z'],
    ['a glob', '*.ts ~/[a-z]'],
    ['another slot', '{{prompt}}'],
    ['dots', '../../etc/passwd'],
    ['emoji and accents', '🚂 é'],
    ['nothing', ''],
  ])('with %s stays one element, as it is', (_, value) => {
    expect(fillTemplate(['show', '{{v}}', 'end'], { v: value, prompt: 'no' })).toEqual(['show', value, 'end'])
  })

  test('may be a number or a truth value', () => {
    expect(fillTemplate(['{{n}}', '{{b}}', 'x{{n}}{{b}}'], { n: 1.5, b: false })).toEqual([
      '1.5',
      'false',
      'x1.5false',
    ])
  })

  test.each([
    ['an object', { a: 1 }],
    ['a list', ['a']],
    ['null', null],
    ['not a number', NaN],
    ['infinite', Infinity],
  ])('that is %s is refused', (_, value) => {
    expect(complaintOf(['{{v}}'], { v: value })).toBe('args.v: must be a text, a number, true or false')
  })

  test('with a NUL or half a character is refused', () => {
    expect(complaintOf(['x{{v}}'], { v: 'a\0b' })).toBe('args.v: must not contain a NUL character')
    expect(complaintOf(['x{{v}}'], { v: 'a\ud800' })).toBe('args.v: must be well-formed Unicode')
  })

  test('that is missing is named, also when an object has it from its prototype', () => {
    expect(complaintOf(['{{v}}'], {})).toBe('args.v: is needed by the command')
    expect(complaintOf(['{{constructor}}'], {})).toBe('args.constructor: is needed by the command')
    expect(complaintOf(['{{prompt}}'], slotValues({}, undefined, null))).toBe(
      'prompt: is needed by the command',
    )
    expect(complaintOf(['{{task_title}}'], slotValues({}, 'p', null))).toBe(
      `taskId: the task's title is needed by the command`,
    )
  })
})

describe('a value never becomes an option', () => {
  const refusal = 'would be read as an option: it begins with "-"'
  test.each([
    [['{{v}}'], { v: '--upload-pack=touch /tmp/x' }, 'args.v'],
    [['{{v}}'], { v: '-' }, 'args.v'],
    [['{{v}}'], { v: -5 }, 'args.v'],
    [['{{v}}.txt'], { v: '-rf' }, 'args.v'],
    [['{{v}}{{w}}'], { v: '', w: '-x' }, 'args.v'],
    [['{{v}}-x'], { v: '' }, 'args.v'],
    [['-m', '{{v}}'], { v: '--amend' }, 'args.v'],
    [['{{v}}', '--'], { v: '-x' }, 'args.v'],
    [['{{prompt}}'], { prompt: '-p' }, 'prompt'],
  ])('%j with %j', (tokens, values, field) => {
    expect(complaintOf(tokens, values)).toBe(`${field}: ${refusal}`)
  })

  test('and neither does a title', () => {
    const task = { title: '--force', description: '' }
    expect(complaintOf(['{{task_title}}'], slotValues({}, undefined, task))).toBe(
      `taskId: the task's title ${refusal}`,
    )
  })

  test('after "--", inside a token, and where the author wrote the dash it is only text', () => {
    expect(fillTemplate(['--', '{{v}}'], { v: '--force' })).toEqual(['--', '--force'])
    expect(fillTemplate(['--message={{v}}', '-n{{v}}', 'a{{v}}'], { v: '-x' })).toEqual([
      '--message=-x',
      '-n-x',
      'a-x',
    ])
  })

  test('a value cannot be the "--" that others are allowed by', () => {
    expect(complaintOf(['{{v}}', '{{w}}'], { v: '--', w: '-x' })).toBe(`args.v: ${refusal}`)
  })
})

describe('a command', () => {
  test('that cannot be filled is the fault of the body', () => {
    expect(() => fillTemplate(['{{v}}'], {})).toThrow(
      expect.objectContaining({
        code: 'does_not_fit',
        context: { in: 'body', fields: [{ field: 'args.v', reason: 'is needed by the command' }] },
      }),
    )
  })

  test('has elements of at most 64 KB, counted in bytes', () => {
    expect(complaintOf(['{{v}}'], { v: 'é'.repeat(32_768) })).toBe('filled')
    expect(complaintOf(['{{v}}'], { v: 'é'.repeat(32_769) })).toBe(
      'args.v: is 65538 bytes long; at most 65536 can be passed',
    )
  })

  test('is at most a million bytes long', () => {
    const tokens = Array.from({ length: 16 }, () => '{{v}}')
    expect(complaintOf(tokens, { v: 'x'.repeat(62_500) })).toBe('filled')
    expect(complaintOf(tokens, { v: 'x'.repeat(62_501) })).toContain('args: make a command of 1000016 bytes')
  })

  test('may begin with the name of its program, which is then left out', () => {
    expect(withoutProgram(['git', 'log'], '/usr/bin/git')).toEqual(['log'])
    expect(withoutProgram(['/usr/bin/git', 'log'], '/usr/bin/git')).toEqual(['log'])
    expect(withoutProgram(['log', 'git'], '/usr/bin/git')).toEqual(['log', 'git'])
    expect(withoutProgram(['/bin/git'], '/usr/bin/git')).toEqual(['/bin/git'])
  })

  test('never takes its program from a value', () => {
    const agent = { args: ['-C', '/repo'], binaryPath: '/usr/bin/git' }
    const argsSchema = { type: 'object' }
    expect(argvOf(agent, { commandTokens: ['{{v}}', 'x'], argsSchema }, { v: 'git' })).toEqual([
      '-C',
      '/repo',
      'git',
      'x',
    ])
    expect(argvOf(agent, { commandTokens: ['git', '{{v}}'], argsSchema }, { v: 'log' })).toEqual([
      '-C',
      '/repo',
      'log',
    ])
  })

  test('takes the prompt that was given over an argument of that name', () => {
    expect(slotValues({ prompt: 'arg' }, undefined, null)).toEqual({ prompt: 'arg' })
    expect(slotValues({ prompt: 'arg' }, 'given', null)).toEqual({ prompt: 'given' })
    expect(slotValues({}, null, { title: 't', description: 'd' })).toEqual({
      task_title: 't',
      task_description: 'd',
    })
  })
})
