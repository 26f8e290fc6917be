/** What somebody is about to paste, looked at before a program gets it. */
export interface Pasted {
  text: string
  /** As a person counts them: a line end at the end begins no other. */
  lines: number
  /** Some of it is the Enter key. */
  hasEnter: boolean
  /** Characters that are commands to a terminal, and not text. */
  controls: number
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

export function lookAtPaste(text: string): Pasted {
  const ends = text.match(/\r\n|\r|\n/g)?.length ?? 0
  const lines = ends + (/[\r\n]$/.test(text) ? 0 : 1)
  return { text, lines, hasEnter: ends > 0, controls: text.match(control)?.length ?? 0 }
}

/** A line end is the Enter key, and control characters are other keys: a person should have seen them. */
export const needsAsking = ({ hasEnter, controls }: Pasted): boolean => hasEnter || controls > 0

export const withoutControls = (text: string): string => text.replaceAll(control, '')

const begin = '\u001b[200~'
const end = '\u001b[201~'

/**
 * As a terminal types it. A program that wants to be told of pastes takes all up to the mark at the end as text, so that mark
 * must not be in the text, also not after it was taken out once.
 */
export function typedPaste(text: string, isBracketed: boolean): string {
  const typed = text.replaceAll(/\r?\n/g, '\r')
  if (!isBracketed) return typed
  let inner = typed
  while (inner.includes(end)) inner = inner.replaceAll(end, '')
  return begin + inner + end
}
