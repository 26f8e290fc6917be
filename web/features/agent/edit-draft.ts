/** A form is texts: what of a thing can be written, and how it is read back. */
export type Draft = Record<string, string>

type Read = (text: string) => unknown

export const asText: Read = (text) => text.trim()
export const asTextOrNothing: Read = (text) => text.trim() || null
/** What is no number is sent as it is, and refused by what it says. */
export const asNumber: Read = (text) =>
  text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
export const asNumberOrNothing: Read = (text) => (text.trim() === '' ? null : asNumber(text))
export const asLines: Read = (text) => text.split('\n').filter((line) => line !== '')
export const asFlag: Read = (text) => text === 'true'

export function written(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** Those of the fields that are not as they were, as they are sent. */
export function changesOf(
  before: object,
  draft: Draft,
  fields: Record<string, Read>,
): Record<string, unknown> {
  const old = before as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, read]) => {
      const text = draft[name]
      return text === undefined || text === written(old[name]) ? [] : [[name, read(text)]]
    }),
  )
}
