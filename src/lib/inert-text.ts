/** Text from elsewhere that can be printed to a terminal: what would move the cursor, hide or reorder is spelled out. */
export function inert(text: string): string {
  // Control characters but tab and newline; line separators; marks, overrides and isolates of text direction.
  return text.replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' || character === '\t' ? character : spelled(character),
  )
}

/** The same for one line: newlines and tabs become spaces. */
export const inertLine = (text: string): string => inert(text.replace(/[\r\n\t\v\f\u2028\u2029]+/g, ' '))

const spelled = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
