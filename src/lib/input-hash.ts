import { createHash } from 'node:crypto'

/** What an answer is bound to: the input as it was shown. The same value has the same hash, however its keys are ordered. */
export function hashOfInput({ tool, input }: { tool: string; input?: unknown }): string {
  const sorted = (_: string, value: unknown) =>
    value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value
  return createHash('sha256')
    .update(JSON.stringify([tool, input ?? null], sorted))
    .digest('hex')
}
