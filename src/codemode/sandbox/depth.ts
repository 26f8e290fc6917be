/** Deeper than this nothing goes in or comes out: what is read by walking into it runs out of stack, here and wherever it is shown. */
export const mostDepth = 1_000

const quote = 34
const backslash = 92

/** Whether JSON is nested deeper than this. Told by its text, without reading it. */
export function isDeeperThan(text: string, most: number): boolean {
  if (text.length <= most) return false
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    // `[` and `{`, `]` and `}` differ in the same bit.
    else if ((code | 32) === 123) {
      depth += 1
      if (depth > most) return true
    } else if ((code | 32) === 125) depth -= 1
  }
  return false
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1
    if (escapes % 2 === 0) return end
  }
  return text.length
}
