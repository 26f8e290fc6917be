import type { Diagnostic as Found } from 'typescript/unstable/sync'

const longestMessage = 1_000

/** TypeScript's message without its nesting, and what may have been meant beside it. */
export function worded(found: Found): { message: string; suggestion?: string } {
  const whole = innermost(found)
  const [, suggestion] = /\s(Did you mean .*\?)$/s.exec(whole) ?? []
  const message = (suggestion ? whole.slice(0, -suggestion.length) : whole).trim().slice(0, longestMessage)
  return suggestion ? { message, suggestion } : { message }
}

const noOverload = 2769

/** Of a chain, what says the most: of overloads the last one's reason, else the first line and its deepest reason. */
function innermost(found: Found): string {
  const last = found.messageChain?.at(-1)
  if (!last) return found.text
  if (found.code === noOverload) return innermost(last.messageChain?.[0] ?? last)
  const reason = deepest(last)
  return reason === found.text ? found.text : `${found.text} ${reason}`
}

const deepest = (found: Found): string => {
  const last = found.messageChain?.at(-1)
  return last ? deepest(last) : found.text
}
