import type { z } from 'zod'

/** What is wrong with a value, in plain words. What a shape says in its own words stays as it is. */
export function misfitWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return 'is not known here'
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return issue.message.endsWith('received undefined')
      ? 'is missing'
      : `must be ${kinds[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid '))
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_big' && issue.message.startsWith('Too big'))
    return `must ${measure(issue.origin)} at most ${String(issue.maximum)}${unit(issue.origin)}`
  if (issue.code === 'too_small' && issue.message.startsWith('Too small'))
    return `must ${measure(issue.origin)} at least ${String(issue.minimum)}${unit(issue.origin)}`
  return issue.message
}

const kinds: Record<string, string> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
}

const measure = (origin: string): string => (units[origin] ? 'have' : 'be')
const unit = (origin: string): string => units[origin] ?? ''
const units: Record<string, string> = { string: ' characters', array: ' entries' }
