import type { Written } from './operation.ts'

type Pair = [name: string, value: string]

/** Everything but letters, digits and `-._~`, so that a value can never be more than a value. */
export const encoded = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Reserved characters stay, but for those that would begin another value. */
const encodedFreely = (text: string) =>
  encoded(text).replaceAll(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|3D)/g, (one) => decodeURIComponent(one))

const scalar = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const pairsOf = (value: object): Pair[] =>
  Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .map(([key, one]) => [key, scalar(one)])

/** A value in a path (styles simple, label and matrix, as RFC 6570 has them). */
export function inPath({ name, style, explode }: Written, value: unknown): string {
  if (style === 'json') return encoded(JSON.stringify(value))
  const [first, between] = style === 'label' ? ['.', '.'] : style === 'matrix' ? [';', ';'] : ['', ',']
  const isNamed = style === 'matrix'
  const named = (text: string) => (isNamed ? `${encoded(name)}${text && '='}${text}` : text)
  if (Array.isArray(value)) {
    const parts = value.map((one) => encoded(scalar(one)))
    return first + (explode ? parts.map(named).join(between) : named(parts.join(',')))
  }
  if (!isObject(value)) return first + named(encoded(scalar(value)))
  const pairs = pairsOf(value).map(([key, one]): Pair => [encoded(key), encoded(one)])
  return first + (explode ? pairs.map((pair) => pair.join('=')).join(between) : named(pairs.flat().join(',')))
}

/** A value in a query, form or cookie: pairs, encoded already. */
export function inQuery({ name, style, explode, allowReserved }: Written, value: unknown): Pair[] {
  const code = allowReserved ? encodedFreely : encoded
  const key = encoded(name)
  if (style === 'json') return [[key, encoded(JSON.stringify(value))]]
  if (style === 'deepObject') return deep(key, value, code)
  const between = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
  if (Array.isArray(value)) {
    const parts = value.map((one) => code(scalar(one)))
    if (explode) return parts.map((part) => [key, part])
    return parts.length > 0 ? [[key, parts.join(between)]] : []
  }
  if (!isObject(value)) return [[key, code(scalar(value))]]
  const pairs = pairsOf(value).map(([inner, one]): Pair => [encoded(inner), code(one)])
  if (explode && style === 'form') return pairs
  return pairs.length > 0 ? [[key, pairs.flat().join(between)]] : []
}

function deep(key: string, value: unknown, code: (text: string) => string): Pair[] {
  if (Array.isArray(value)) return value.map((one) => [key, code(scalar(one))])
  if (!isObject(value)) return [[key, code(scalar(value))]]
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .flatMap(([inner, one]) => deep(`${key}%5B${encoded(inner)}%5D`, one, code))
}

/** A value in a header (style simple): not encoded, for headers know no code. */
export function inHeader({ style, explode }: Written, value: unknown): string {
  if (style === 'json') return JSON.stringify(value)
  if (Array.isArray(value)) return value.map(scalar).join(',')
  if (!isObject(value)) return scalar(value)
  return pairsOf(value)
    .map((pair) => pair.join(explode ? '=' : ','))
    .join(',')
}
