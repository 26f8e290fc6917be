/** What cannot be seen, or makes text look like other text: controls, marks of direction, characters without a width. */
const hidden = /\r\n|[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]--[\n\t]]/gv

/** Text that somebody else wrote and a person decides by: everything in it can be seen. */
export const visibleText = (text: string): string =>
  text.replaceAll(hidden, (found) =>
    found === '\r\n' ? '\n' : `⟨U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
