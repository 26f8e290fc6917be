import type { Clipped } from './transcript-row.ts'

/** More of one thing is not kept: the log has all of it. */
export const mostText = 100_000

export function clip(text: string, most = mostText): Clipped {
  if (text.length <= most) return { text, cut: 0 }
  const isInsideCharacter = /[\ud800-\udbff]/.test(text.charAt(most - 1))
  const end = isInsideCharacter ? most - 1 : most
  return { text: text.slice(0, end), cut: text.length - end }
}

/** Whatever a tool answered with, as text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  return textOfParts(value) ?? JSON.stringify(value, null, 2)
}

/** Content as MCP and the agents' own tools give it: a list of parts, most of them text. */
function textOfParts(value: unknown): string | undefined {
  const { content } = value as { content?: unknown }
  const parts: unknown[] | undefined = [value, content].find((each) => Array.isArray(each))
  const texts = parts?.map((part) => (part as { text?: unknown } | null)?.text)
  return texts?.length && texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined
}
