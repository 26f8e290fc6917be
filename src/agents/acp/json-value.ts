// What an agent sends is looked at, never believed: a field that is not what it should be is as good as absent.

export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectIn = (value: unknown, key: string): JsonObject =>
  isObject(value) && isObject(value[key]) ? value[key] : {}

export const textIn = (value: unknown, key: string): string | undefined =>
  isObject(value) && typeof value[key] === 'string' ? value[key] : undefined

/** The objects of a list; whatever else is in it is left out. */
export const listIn = (value: unknown, key: string): JsonObject[] =>
  isObject(value) && Array.isArray(value[key]) ? value[key].filter(isObject) : []

/** A count: whole and not negative. */
export const countIn = (value: unknown, key: string): number | undefined =>
  isObject(value) && Number.isSafeInteger(value[key]) && Number(value[key]) >= 0
    ? Number(value[key])
    : undefined
