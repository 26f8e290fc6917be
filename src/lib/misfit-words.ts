import type { z } from 'zod'

type Issue = z.core.$ZodIssue

/** What is wrong, of a choice between shapes with the one that was meant: the only one of its kind. */
export function issuesIn(issues: readonly Issue[]): Issue[] {
  return issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union' || !issue.message.startsWith('Invalid input')) return [issue]
    const meant = issue.errors.filter((errors) => !errors.some(isOtherKind))
    const [only] = meant
    if (meant.length !== 1 || !only) return [issue]
    return issuesIn(only.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })))
  })
}

const isOtherKind = ({ code, path }: Issue): boolean => code === 'invalid_type' && path.length === 0

/** What is wrong with a value, in plain words. What a shape says in its own words stays as it is. */
export function misfitWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union' && issue.message.startsWith('Invalid input')) return eitherOf(issue)
  if (issue.code === 'unrecognized_keys') return 'is not known here'
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return issue.message.endsWith('received undefined')
      ? 'is missing'
      : `must be ${kinds[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value' && issue.message.startsWith('Invalid '))
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_big' && issue.message.startsWith('Too big'))
    return `must ${measure(issue.origin)} ${issue.inclusive === false ? 'less than' : 'at most'} ${String(issue.maximum)}${unit(issue.origin)}`
  if (issue.code === 'too_small' && issue.message.startsWith('Too small'))
    return `must ${measure(issue.origin)} ${issue.inclusive === false ? 'more than' : 'at least'} ${String(issue.minimum)}${unit(issue.origin)}`
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

function eitherOf(issue: z.core.$ZodIssueInvalidUnion): string {
  const wanted = issue.errors.flatMap(([first]) =>
    first && isOtherKind(first) && first.code === 'invalid_type'
      ? [kinds[first.expected] ?? first.expected]
      : [],
  )
  return wanted.length > 0 && wanted.length === issue.errors.length
    ? `must be ${[...new Set(wanted)].join(' or ')}`
    : issue.message
}

const measure = (origin: string): string => (units[origin] ? 'have' : 'be')
const unit = (origin: string): string => units[origin] ?? ''
const units: Record<string, string> = { string: ' characters', array: ' entries' }
