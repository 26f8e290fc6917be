import { withoutKey } from './without-key.ts'

const longest = 300
/** No more of an answer is looked at. */
const mostRead = 20_000

/** What a provider says in an answer that is none: each has its own shape for it. In one line; empty where it says nothing to people. */
export function theirWords(body: unknown, apiKey?: string): string {
  const page = typeof body === 'string' ? parsed(body.slice(0, mostRead)) : body
  if (page === undefined) return typeof body === 'string' ? plainWords(body.slice(0, mostRead), apiKey) : ''
  return oneLine(wordsIn(page, 4) ?? '', apiKey)
}

/** A page for people says nothing that anybody wants to read in one line. */
const plainWords = (text: string, apiKey?: string): string => (isHtml(text) ? '' : oneLine(text, apiKey))

export const isHtml = (text: string): boolean => /^\s*<(!doctype|html|head|body)/i.test(text)

const fields = [
  'error',
  'message',
  'detail',
  'details',
  'errors',
  'msg',
  'error_description',
  'reason',
  'title',
]

function wordsIn(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined
  if (typeof value !== 'object' || value === null || depth === 0) return undefined
  const inner: unknown[] = Array.isArray(value)
    ? value.slice(0, 3)
    : fields.map((name) => (value as Record<string, unknown>)[name])
  for (const one of inner) {
    const words = wordsIn(one, depth - 1)
    if (words !== undefined) return words
  }
  return undefined
}

/** Undefined where it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The key goes before it is cut: half of one would not be known as such. */
export const oneLine = (text: string, apiKey?: string): string =>
  withoutKey(text.slice(0, mostRead), apiKey)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, longest)
