import type { ModelMessage } from 'ai'
import { inBrief } from './brief.ts'
import { tokensOf } from './tokens.ts'
import type { CountTokens } from './tokens.ts'

/** What of a conversation a model is shown: as much as fits, the newest of it, and nothing torn apart. */
export interface Fitted {
  messages: ModelMessage[]
  /** Those that had to go, oldest first. */
  dropped: ModelMessage[]
  tokens: number
  /** Messages that stand there in brief. */
  shortened: number
  /** Steps of the newest turn that had to go, the oldest of it. */
  stepsLeftOut: number
}

export interface WindowLimits {
  tokens: number
  messages: number
}

/** Even what was said last does not fit. */
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

/**
 * Goes from the newest to the oldest, and ends where something does not fit even in brief. The newest turn always stays: in brief if it
 * has to, and if that is not enough without its oldest steps. A call of a tool and its result are never parted. Throws DoesNotFit.
 */
export function fitWindow(all: readonly ModelMessage[], limits: WindowLimits, count: CountTokens): Fitted {
  const units = unitsOf(all, count)
  const turnAt = Math.max(
    0,
    units.findLastIndex(({ isTurn }) => isTurn),
  )
  const newest = fitTurn(units.slice(turnAt), limits.tokens, count)
  let { tokens, shortened } = newest
  let left = limits.messages - newest.messages.length
  const older: Unit[] = []
  for (const unit of units.slice(0, turnAt).toReversed()) {
    const kept = tokens + unit.tokens > limits.tokens ? shorter(unit, count) : unit
    if (kept.messages.length > left || tokens + kept.tokens > limits.tokens) break
    tokens += kept.tokens
    left -= kept.messages.length
    older.unshift(kept)
  }
  // Providers want a person to have the first word.
  const beginsAt = older.findIndex(({ isTurn }) => isTurn)
  const shown = beginsAt === -1 ? [] : older.slice(beginsAt)
  for (const { tokens: spared } of older.slice(0, older.length - shown.length)) tokens -= spared
  shortened += shown.reduce((sum, unit) => sum + unit.shortened, 0)
  const dropped = units.slice(0, turnAt - shown.length).flatMap(({ messages }) => messages)
  const messages = [...shown.flatMap((unit) => unit.messages), ...newest.messages]
  return { messages, dropped, tokens: Math.ceil(tokens), shortened, stepsLeftOut: newest.stepsLeftOut }
}

/** What belongs together: a message of a person, or one of the model with what its tools answered. */
interface Unit {
  messages: ModelMessage[]
  /** A turn begins with it. */
  isTurn: boolean
  tokens: number
  shortened: number
}

function unitsOf(all: readonly ModelMessage[], count: CountTokens): Unit[] {
  const units: Unit[] = []
  for (const message of all) {
    const last = units.at(-1)
    const tokens = tokensOf(message, count)
    if (message.role === 'tool' && last) {
      last.messages.push(message)
      last.tokens += tokens
    } else units.push({ messages: [message], isTurn: message.role === 'user', tokens, shortened: 0 })
  }
  return units
}

function shorter(unit: Unit, count: CountTokens): Unit {
  const messages = unit.messages.map(inBrief)
  const shortened = messages.filter((message, at) => message !== unit.messages[at]).length
  if (shortened === 0) return unit
  const tokens = messages.reduce((sum, message) => sum + tokensOf(message, count), 0)
  return { ...unit, messages, tokens, shortened }
}

/** A turn is what a person said, and the steps that followed. */
function fitTurn(
  units: readonly Unit[],
  limit: number,
  count: CountTokens,
): Pick<Fitted, 'messages' | 'tokens' | 'shortened' | 'stepsLeftOut'> {
  const [asked, ...steps] = units
  if (!asked) return { messages: [], tokens: 0, shortened: 0, stepsLeftOut: 0 }
  let tokens = units.reduce((sum, unit) => sum + unit.tokens, 0)
  for (let at = 0; at < steps.length && tokens > limit; at += 1) {
    const brief = shorter(steps[at]!, count)
    tokens += brief.tokens - steps[at]!.tokens
    steps[at] = brief
  }
  let stepsLeftOut = 0
  while (tokens > limit && steps.length > 1) {
    tokens -= steps.shift()!.tokens
    stepsLeftOut += 1
  }
  if (tokens > limit) throw new DoesNotFit(Math.ceil(tokens), limit)
  const kept = [asked, ...steps]
  return {
    messages: kept.flatMap(({ messages }) => messages),
    tokens,
    shortened: kept.reduce((sum, unit) => sum + unit.shortened, 0),
    stepsLeftOut,
  }
}
