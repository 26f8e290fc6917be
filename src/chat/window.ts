import type { ModelMessage, ToolResultPart } from 'ai'
import { tokensOf } from './tokens.ts'
import type { CountTokens } from './tokens.ts'

/** What of a conversation a model is shown: as much as fits, the newest of it, and nothing torn apart. */
export interface Fitted {
  messages: ModelMessage[]
  /** Those that had to go, oldest first. */
  dropped: ModelMessage[]
  tokens: number
  /** Tool results that stand there in brief. */
  shortened: number
}

export interface WindowLimits {
  tokens: number
  messages: number
}

/** Even the newest turn does not fit. */
export class DoesNotFit extends Error {
  readonly tokens: number
  readonly limit: number
  constructor(tokens: number, limit: number) {
    super(`What was just said takes about ${tokens} tokens, and ${limit} fit`)
    this.name = 'DoesNotFit'
    this.tokens = tokens
    this.limit = limit
  }
}

/** Results that are shortened keep so much of their beginning, and of their end. */
const keptOfResult = 400

/**
 * Goes from the newest to the oldest. The newest turn always stays, in brief if it has to; of what is older a call of a tool and its
 * result go together. Throws DoesNotFit.
 */
export function fitWindow(all: readonly ModelMessage[], limits: WindowLimits, count: CountTokens): Fitted {
  const units = unitsOf(all)
  const newestAt = units.findLastIndex(({ isTurn }) => isTurn)
  const newest = units.slice(Math.max(0, newestAt)).flatMap(({ messages }) => messages)
  const { messages: kept, shortened } = shorten(newest, limits.tokens, count)
  let tokens = sum(kept, count)
  if (tokens > limits.tokens) throw new DoesNotFit(Math.ceil(tokens), limits.tokens)
  let left = limits.messages - kept.length
  let at = Math.max(0, newestAt)
  while (at > 0) {
    const before = units[at - 1]!
    const cost = sum(before.messages, count)
    if (before.messages.length > left || tokens + cost > limits.tokens) break
    tokens += cost
    left -= before.messages.length
    at -= 1
  }
  const begin = beginningAt(units, at, Math.max(0, newestAt))
  const older = units.slice(begin, Math.max(0, newestAt)).flatMap(({ messages }) => messages)
  const dropped = units.slice(0, begin).flatMap(({ messages }) => messages)
  const messages = [...older, ...kept]
  return { messages, dropped, tokens: Math.ceil(sum(messages, count)), shortened }
}

interface Unit {
  messages: ModelMessage[]
  /** A turn begins with it. */
  isTurn: boolean
}

/** What belongs together: a message of a person, or one of the model with what its tools answered. */
function unitsOf(all: readonly ModelMessage[]): Unit[] {
  const units: Unit[] = []
  for (const message of all) {
    const last = units.at(-1)
    if (message.role === 'tool' && last) last.messages.push(message)
    else units.push({ messages: [message], isTurn: message.role === 'user' })
  }
  return units
}

/** Providers want a person to have the first word. */
function beginningAt(units: readonly Unit[], from: number, upTo: number): number {
  for (let at = from; at < upTo; at += 1) if (units[at]!.isTurn) return at
  return upTo
}

/** The oldest results of the turn first, until it fits, or nothing is left to shorten. */
function shorten(
  messages: readonly ModelMessage[],
  limit: number,
  count: CountTokens,
): { messages: ModelMessage[]; shortened: number } {
  const result = [...messages]
  let shortened = 0
  for (let at = 0; at < result.length && sum(result, count) > limit; at += 1) {
    const message = result[at]!
    if (message.role !== 'tool') continue
    const content = message.content.map((part) => {
      if (part.type !== 'tool-result') return part
      const brief = inBrief(part)
      if (brief !== part) shortened += 1
      return brief
    })
    result[at] = { ...message, content }
  }
  return { messages: result, shortened }
}

function inBrief(part: ToolResultPart): ToolResultPart {
  const text = part.output.type === 'text' ? part.output.value : JSON.stringify(part.output)
  if (text.length <= keptOfResult * 3) return part
  const left = text.length - keptOfResult * 2
  const brief = `${text.slice(0, keptOfResult)}\n… ${left} characters are left out here: call the tool again for them …\n${text.slice(-keptOfResult)}`
  return { ...part, output: { type: 'text', value: brief } }
}

const sum = (messages: readonly ModelMessage[], count: CountTokens): number =>
  messages.reduce((total, message) => total + tokensOf(message, count), 0)
