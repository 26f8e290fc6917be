import { z } from 'zod'

// Zod tries to compile what it checks with, which the content security policy forbids, and the browser would complain.
z.config({ jitless: true })

/** What of it does not fit the contract, by the dotted place; the same words that the server would answer with. */
export function misfitsIn(shape: z.ZodType, value: unknown): Record<string, string> {
  const { error } = shape.safeParse(value)
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path.join('.'), message]))
}
