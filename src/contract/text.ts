import { z } from 'zod'

// Postgres cannot store U+0000 and would turn a lone surrogate into U+FFFD: both are refused, never altered.
export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')
export const notStorable = 'must be well-formed Unicode without NUL characters'

// Control characters and bidirectional overrides can make one title look like another, or spill into its neighbours.
const deceptive = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** One line that people read: a title, a name. */
export const line = (max: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(max, `must be at most ${max} characters`)
    .refine(isStorable, notStorable)
    .refine((text) => !deceptive.test(text), 'must not contain control or text-direction characters')

/** Any text that people write. */
export const prose = (max: number) =>
  z.string().max(max, `must be at most ${max} characters`).refine(isStorable, notStorable)

export const Id = z.uuid('must be a UUID')
export const Time = z.iso.datetime()
