// What Codex says is looked at, never believed: a field that is not what it should be is as good as absent.

export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

export const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

/** One line for people, of a length that fits one. */
export const oneLine = (text: string, most = 1000): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
