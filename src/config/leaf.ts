import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { parseDuration, parseSize } from '#lib/units.ts'

// Single values of the configuration. Each reads what YAML gives (numbers, booleans, text) as well as what the
// environment and `${VAR}` give (always text), and says in one sentence what it wants when it gets something else.

type Leaf<Value> = z.ZodType<Value>

function leaf<Value>(
  wanted: string,
  example: string,
  read: (value: unknown) => Value | undefined,
): Leaf<Value> {
  return z
    .unknown()
    .transform((value, context): Value => {
      const result = read(value)
      if (result !== undefined) return result
      context.issues.push({
        code: 'custom',
        message: `must be ${wanted}${example && `, for example ${example}`}`,
        input: value,
      })
      return z.NEVER
    })
    .meta({ wanted, example })
}

export const text = (wanted = 'text', example = '"some text"'): Leaf<string> =>
  leaf(`${wanted} (in quotes where it looks like a number)`, example, (value) =>
    typeof value === 'string' && value !== '' ? value : undefined,
  )

/** Text that may also be empty: the value of a variable or a header. */
export const anyText = (): Leaf<string> =>
  leaf('text (in quotes where it looks like a number)', '"3000"', (value) =>
    typeof value === 'string' && !value.includes('\0') ? value : undefined,
  )

/** Text that may be anything, and is never shown. */
export const secret = (): Leaf<string> => text('a secret', '"${MY_SECRET}"')

export const flag = (): Leaf<boolean> =>
  leaf('true or false', 'true', (value) => {
    if (typeof value === 'boolean') return value
    if (typeof value !== 'string') return undefined
    const word = value.trim().toLowerCase()
    if (['true', 'yes', 'on', '1'].includes(word)) return true
    return ['false', 'no', 'off', '0'].includes(word) ? false : undefined
  })

export const wholeNumber = (min: number, max: number, example: number): Leaf<number> =>
  leaf(`a whole number from ${min} to ${max}`, String(example), (value) => {
    const number = asNumber(value)
    return Number.isInteger(number) && number >= min && number <= max ? number : undefined
  })

export const decimal = (min: number, max: number, example: number): Leaf<number> =>
  leaf(`a number from ${min} to ${max}`, String(example), (value) => {
    const number = asNumber(value)
    return number >= min && number <= max ? number : undefined
  })

export const port = (example: number): Leaf<number> => wholeNumber(0, 65535, example)

/** In milliseconds. Never more than a timer of Node can wait for, so that no long time turns into none at all. */
export const duration = (example: string): Leaf<number> =>
  leaf('a time of at least 1ms and at most 24d, as 30s, 5m, 24h or milliseconds', example, (value) => {
    const ms = parseDuration(value)
    return ms !== undefined && ms >= 1 && ms <= 2_147_483_647 ? ms : undefined
  })

/** In bytes. */
export const size = (example: string): Leaf<number> =>
  leaf('a size as 128MB, 5GB or bytes', example, parseSize)

export const httpUrl = (example: string): Leaf<string> =>
  leaf('an http or https address without a password in it', example, (value) => {
    const url = typeof value === 'string' ? URL.parse(value) : null
    // A name alone may be a key, and no request takes one either.
    const isOpen = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    return isOpen ? String(value) : undefined
  })

export const socketUrl = (example: string): Leaf<string> =>
  leaf('a ws or wss address without a password or parameters in it', example, (value) => {
    const url = typeof value === 'string' ? URL.parse(value) : null
    const isPlain = url && /^wss?:$/.test(url.protocol) && url.search === '' && url.hash === ''
    return isPlain && url.username === '' && url.password === '' ? String(value) : undefined
  })

/** `http://host:port`, and nothing behind it. */
export const origin = (example: string): Leaf<string> =>
  leaf('an http or https address without a path', example, (value) => {
    const url = typeof value === 'string' ? URL.parse(value) : null
    return url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href ? url.origin : undefined
  })

/** Where something listens. */
export const hostAndPort = (example: string): Leaf<string> =>
  leaf('an address and a port', example, (value) => {
    const [, digits] =
      typeof value === 'string' ? (/^(?:[\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i.exec(value) ?? []) : []
    return digits !== undefined && Number(digits) <= 65535 ? String(value) : undefined
  })

/** Where relative paths and `~/` start. */
export interface Place {
  folder: string
  userHome: string
}

/** Absolute once read. */
export const path = (place: Place, example: string): Leaf<string> =>
  leaf('a path', example, (value) => {
    if (typeof value !== 'string' || value === '' || value.includes('\0')) return undefined
    if (value === '~' || value.startsWith('~/')) return join(place.userHome, value.slice(1))
    return isAbsolute(value) ? resolve(value) : resolve(place.folder, value)
  })

export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  aliases: Record<string, Words[number]> = {},
): Leaf<Words[number]> =>
  leaf(`one of ${words.join(', ')}`, '', (value) => {
    if (typeof value !== 'string') return undefined
    const word = value.trim().toLowerCase()
    return words.find((known) => known === word) ?? (Object.hasOwn(aliases, word) ? aliases[word] : undefined)
  })

function asNumber(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : Number.NaN
}
