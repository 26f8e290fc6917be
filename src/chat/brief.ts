import type { ModelMessage, ToolResultPart } from 'ai'
import { leftOut } from './files-shown.ts'

/** What is told in brief keeps so many characters of its beginning, and of its end. */
const keptOfText = 400
/** Arguments are made shorter no deeper than this. */
const deepest = 6

/** The same message with its long texts, arguments and results in brief, and without its files; itself when it has none. What was thought stays: it is signed. */
export function inBrief(message: ModelMessage): ModelMessage {
  if (typeof message.content === 'string') {
    const content = briefly(message.content, 'left out')
    return content === message.content ? message : ({ ...message, content } as ModelMessage)
  }
  const parts: readonly Part[] = message.content
  const content = parts.map(partInBrief)
  const isSame = content.every((part, at) => part === parts[at])
  return isSame ? message : ({ ...message, content } as ModelMessage)
}

type Part = Exclude<ModelMessage['content'], string>[number]

function partInBrief(part: Part): Part {
  if (part.type === 'tool-result') return resultInBrief(part)
  if (part.type === 'tool-call') {
    const input = valueInBrief(part.input, deepest)
    return input === part.input ? part : { ...part, input }
  }
  if (part.type === 'file' || part.type === 'image') return leftOut(part)
  if (part.type !== 'text') return part
  const text = briefly(part.text, 'left out')
  return text === part.text ? part : { ...part, text }
}

function resultInBrief(part: ToolResultPart): ToolResultPart {
  const { output } = part
  const text = 'value' in output && typeof output.value === 'string' ? output.value : JSON.stringify(output)
  const brief = briefly(text, 'left out here: call the tool again for them')
  if (brief === text) return part
  return { ...part, output: { type: output.type === 'error-text' ? 'error-text' : 'text', value: brief } }
}

function valueInBrief(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return briefly(value, 'left out')
  if (typeof value !== 'object' || value === null || depth === 0) return value
  const entries = Object.entries(value)
  const brief = entries.map(([key, inner]) => [key, valueInBrief(inner, depth - 1)] as const)
  if (brief.every(([, inner], at) => inner === entries[at]?.[1])) return value
  return Array.isArray(value) ? brief.map(([, inner]) => inner) : Object.fromEntries(brief)
}

export function briefly(text: string, how: string): string {
  if (text.length <= keptOfText * 3) return text
  const left = text.length - keptOfText * 2
  return `${text.slice(0, keptOfText)}\n… ${left} characters are ${how} …\n${text.slice(-keptOfText)}`
}
