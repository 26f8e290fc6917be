import { describe, expect, test } from 'vitest'
import { annotationsOf, checkCapability, takesPrompt } from './capability.ts'
import { Problem } from './problem.ts'

const template = {
  interactionMode: 'template' as const,
  commandTokens: ['log', '{{ref}}'] as string[] | null,
  promptTemplate: null as string | null,
  argsSchema: { type: 'object', properties: { ref: { type: 'string' } } },
  dangerLevel: 0,
  annotations: annotationsOf(0, {}),
}

function refusalOf(change: Partial<typeof template>): string {
  try {
    checkCapability({ ...template, ...change })
    return 'fits'
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.message.replace('The body does not fit: ', '')
  }
}

describe('a capability', () => {
  test('may use its arguments, the prompt and the task', () => {
    expect(refusalOf({})).toBe('fits')
    const commandTokens = [
      '{{prompt}}',
      'x{{task_title}}y{{task_description}}',
      '--ref={{ref}}',
      '{"a":{"b":1}}',
    ]
    expect(refusalOf({ commandTokens })).toBe('fits')
    expect(refusalOf({ promptTemplate: 'Look at {{ref}}: {{prompt}}' })).toBe('fits')
  })

  test('of mode template needs tokens', () => {
    expect(refusalOf({ commandTokens: null })).toContain('commandTokens: a capability of mode "template"')
  })

  test('cannot use what is no argument', () => {
    expect(refusalOf({ commandTokens: ['{{ref}}', '{{other}}'] })).toBe(
      'commandTokens.1: {{other}} is not an argument: argsSchema has no property "other"',
    )
    expect(refusalOf({ promptTemplate: '{{other}}' })).toContain('promptTemplate: {{other}}')
    expect(refusalOf({ commandTokens: ['{{constructor}}'] })).toContain('{{constructor}} is not an argument')
  })

  test.each(['{{ }}', '{{a-b c', '{{}}', '{{ ref }}', 'x{{ref}', '{{{ref}}}', '{{ref\n}}', '{{1}}'])(
    'cannot have the malformed slot %j',
    (token) => {
      expect(refusalOf({ commandTokens: [token] })).toContain('commandTokens.0: ')
      expect(refusalOf({ commandTokens: [token] })).toContain('is not a slot')
    },
  )

  test.each(['-{{ref}}', '--{{ref}}', '--{{ref}}=1'])('cannot let a value choose the option: %j', (token) => {
    expect(refusalOf({ commandTokens: [token] })).toContain('the name of an option cannot come from a slot')
  })

  test('may spread an argument over several words, as a token of its own', () => {
    expect(refusalOf({ commandTokens: ['log', '{{ref...}}', '{{prompt...}}'] })).toBe('fits')
    expect(refusalOf({ commandTokens: ['{{other...}}'] })).toContain('{{other}} is not an argument')
    for (const token of ['x{{ref...}}', '--ref={{ref...}}', '{{ref...}}{{ref}}'])
      expect(refusalOf({ commandTokens: [token] })).toContain('it can only be a whole token of a command')
    expect(refusalOf({ promptTemplate: '{{ref...}}' })).toContain('promptTemplate: {{ref...}} stands for')
  })

  test('that is dangerous cannot claim that it only reads', () => {
    for (const dangerLevel of [2, 3]) {
      const annotations = annotationsOf(dangerLevel, { readOnlyHint: true })
      expect(refusalOf({ dangerLevel, annotations })).toContain('annotations.readOnlyHint')
    }
    expect(refusalOf({ dangerLevel: 1, annotations: annotationsOf(1, { readOnlyHint: true }) })).toBe('fits')
  })

  test('takes a message when it has a slot for one', () => {
    expect(takesPrompt(template)).toBe(false)
    expect(takesPrompt({ ...template, commandTokens: ['a', '--say={{prompt}}'] })).toBe(true)
    expect(takesPrompt({ ...template, commandTokens: ['a', '{{prompt...}}'] })).toBe(true)
    expect(takesPrompt({ ...template, interactionMode: 'prompt', promptTemplate: null })).toBe(true)
  })
})

test('annotations follow from the danger level, unless said otherwise', () => {
  const of = (level: number, given = {}) => Object.values(annotationsOf(level, given))
  expect(of(0)).toEqual([true, false, true])
  expect(of(1)).toEqual([false, false, false])
  expect(of(2)).toEqual([false, true, false])
  expect(of(3)).toEqual([false, true, false])
  expect(of(3, { idempotentHint: true })).toEqual([false, true, true])
  expect(of(0, { readOnlyHint: false })).toEqual([false, false, true])
})
