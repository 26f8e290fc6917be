import { visibleText } from './visible-text.ts'

export interface InputPart {
  /** Empty for the one that speaks for itself. */
  name: string
  text: string
}

const main = new Set(['command', 'cmd', 'plan'])

/** What somebody is asked to allow, in full, what matters first. */
export function inputParts(input: unknown): InputPart[] {
  if (input === null || input === undefined) return []
  if (typeof input !== 'object' || Array.isArray(input)) return [{ name: '', text: shown(input) }]
  const fields = Object.entries(input).filter(([, value]) => value !== null && value !== undefined)
  const place = ([name]: [string, unknown]) => (main.has(name) ? 0 : 1)
  return fields
    .toSorted((one, other) => place(one) - place(other))
    .map(([name, value]) => ({ name: main.has(name) ? '' : visibleText(name), text: shown(value) }))
}

/** The same in one line, for a card that is folded. */
export const inputLine = (input: unknown): string =>
  inputParts(input)
    .map(({ text }) => text)
    .join(' · ')
    .slice(0, 300)
    .replaceAll(/\s+/g, ' ')

function shown(value: unknown): string {
  if (typeof value === 'string') return visibleText(value)
  const isWords = Array.isArray(value) && value.every((word) => typeof word === 'string' && !/\s/.test(word))
  return visibleText(isWords ? value.join(' ') : JSON.stringify(value, null, 2))
}

/** An input that was too long to be sent whole: how it begins, and how long it is. */
export function cutInput(input: unknown): { beginning: string; characters: number } | undefined {
  if (typeof input !== 'object' || input === null || Object.keys(input).length !== 2) return undefined
  const { beginning, characters } = { ...input } as Record<string, unknown>
  return typeof beginning === 'string' && typeof characters === 'number'
    ? { beginning, characters }
    : undefined
}
