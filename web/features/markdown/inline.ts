/** A piece of a line in Markdown. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis' | 'struck'; parts: Inline[] }
  | { kind: 'link'; address: string; parts: Inline[] }

const sign = new RegExp(
  [
    '\\\\(?<escaped>[!-/:-@\\[-`{-~])',
    '(?<!`)(?<ticks>`{1,3})(?!`)(?<code>[^]+?)(?<!`)\\k<ticks>(?!`)',
    '!?\\[(?<label>(?:[^\\[\\]\\\\]|\\\\.)*)\\]\\((?<address>[^\\s()]*(?:\\([^\\s()]*\\)[^\\s()]*)*)(?:\\s+"[^"]*")?\\)',
    '<(?<pointed>https?://[^\\s<>]+)>',
    '(?<bare>https?://[^\\s<>()\\[\\]"\'`]+[^\\s<>()\\[\\]"\'`.,;:!?*_])',
    '\\*\\*(?<strong>\\S(?:[^]*?\\S)??)\\*\\*(?!\\*)',
    '(?<!\\w)__(?<strongToo>\\S(?:[^]*?\\S)??)__(?!\\w)',
    '~~(?<struck>\\S(?:[^]*?\\S)??)~~',
    '\\*(?<emphasis>[^\\s*](?:[^*]*?[^\\s*])??)\\*',
    '(?<!\\w)_(?<emphasisToo>[^\\s_](?:[^_]*?[^\\s_])??)_(?!\\w)',
  ].join('|'),
  'g',
)
const deepest = 6

export function inlineOf(text: string, depth = 0): Inline[] {
  if (depth > deepest) return [{ kind: 'text', text }]
  const parts: Inline[] = []
  let at = 0
  for (const match of text.matchAll(sign)) {
    add(parts, text.slice(at, match.index))
    at = match.index + match[0].length
    const part = partOf(match.groups ?? {}, depth)
    if (typeof part === 'string') add(parts, part)
    else parts.push(part)
  }
  add(parts, text.slice(at))
  return parts
}

function partOf(found: Record<string, string | undefined>, depth: number): Inline | string {
  const { escaped, code, label, address, pointed, bare, struck } = found
  const strong = found['strong'] ?? found['strongToo']
  const emphasis = found['emphasis'] ?? found['emphasisToo']
  if (escaped !== undefined) return escaped
  if (code !== undefined) return { kind: 'code', text: code.replace(/^ (.*\S.*) $/, '$1') }
  if (strong !== undefined) return { kind: 'strong', parts: inlineOf(strong, depth + 1) }
  if (emphasis !== undefined) return { kind: 'emphasis', parts: inlineOf(emphasis, depth + 1) }
  if (struck !== undefined) return { kind: 'struck', parts: inlineOf(struck, depth + 1) }
  const plain = pointed ?? bare
  if (plain !== undefined) return { kind: 'link', address: plain, parts: [{ kind: 'text', text: plain }] }
  return { kind: 'link', address: address ?? '', parts: inlineOf(label || (address ?? ''), depth + 1) }
}

/** Neighbours that are plain text are one. */
function add(parts: Inline[], text: string): void {
  const last = parts.at(-1)
  if (text === '') return
  if (last?.kind === 'text') last.text += text
  else parts.push({ kind: 'text', text })
}
