/** A text that is being written here while others may change it too. */
export interface Draft {
  /** What the server had when the writing began, or has taken from us since. */
  base: string
  text: string
  /** What somebody else wrote meanwhile. Nothing is saved until a person has chosen. */
  theirs: string | null
}

/** Takes up what was written before and never saved, if there is any. */
export function begin(value: string, kept: { base: string; text: string } | null): Draft {
  if (!kept || kept.text === value) return { base: value, text: value, theirs: null }
  return { base: kept.base, text: kept.text, theirs: kept.base === value ? null : value }
}

/** What the server has now: taken over while nothing is being written, and otherwise kept for the person to choose. */
export function hear(draft: Draft, value: string, sent: string | null): Draft {
  if (value === draft.base) return draft.theirs === null ? draft : { ...draft, theirs: null }
  if (value === draft.text) return { base: value, text: value, theirs: null }
  if (value === sent) return { ...draft, base: value, theirs: null }
  if (draft.text === draft.base) return { base: value, text: value, theirs: null }
  return { ...draft, theirs: value }
}

export const keepMine = (draft: Draft): Draft => ({
  ...draft,
  base: draft.theirs ?? draft.base,
  theirs: null,
})

export function takeTheirs(draft: Draft): Draft {
  const text = draft.theirs ?? draft.base
  return { base: text, text, theirs: null }
}
