import type { LanguageModel, ModelMessage } from 'ai'
import type { ModelFacts } from './catalogue.ts'
import { ModelFailed } from './failure.ts'
import type { FailureKind } from './failure.ts'
import { hasOldFiles, readableFor, withRecentFiles } from './files-shown.ts'
import type { Meter } from './meter.ts'
import { notice } from './notice.ts'
import type { ChatTool, TurnHands, TurnLimits } from './port.ts'
import { presentable } from './presentable.ts'
import { sumUp, withSummary } from './summary.ts'
import { roughly, tokensOf } from './tokens.ts'
import type { CountTokens } from './tokens.ts'
import { DoesNotFit, fitWindow } from './window.ts'
import type { Fitted } from './window.ts'

interface Needs {
  model: LanguageModel
  provider: string
  facts: ModelFacts
  count: CountTokens
  system: string
  limits: TurnLimits
  signal: AbortSignal
  /** What is known of the part of the conversation that comes before the messages. */
  summary: string | null
}

/** What goes to the model in one step. */
export interface Shown {
  messages: ModelMessage[]
  tools: readonly ChatTool[]
  maxOutputTokens: number
  /** All of it, as far as that can be counted beforehand. */
  tokens: number
}

/** Nothing can be asked, however little of the past is shown. The message says why, and what to do. */
export class NoRoom extends Error {}

/** Of what was thought to fit, when the provider says that it does not. */
const afterOverflow = 0.6
/** Tools that take more of the window than this are listed in brief. */
const mostForTools = 0.4
/** A summary makes room for some turns, so that it is not to be made again in each. */
const leftBySummary = 0.5
const mostOfSummary = 1_500
const leastRoom = 200
/** Together, as they are sent; providers take no request that is much larger. */
const mostFileBytes = 12_000_000
/** The share of the room that one text file may take, and how many characters a token has at least. */
const shareOfFile = 0.25
const charactersPerToken = 3

/** Fits what a model is shown into its window, step by step. What is left out is told, once in a turn. */
export function openShown(needs: Needs, meter: Meter, hands: TurnHands) {
  const { facts, limits, system, provider, signal } = needs
  const maxOutputTokens = Math.min(limits.outputTokens, facts.maxOutput, Math.ceil(facts.window / 2))
  const told = new Set<string>()
  let { summary } = needs
  let share = 1
  let isWithOldFiles = true
  let hasShownOldFiles = false
  const mostText = Math.floor(Math.min(limits.historyTokens, facts.window) * shareOfFile * charactersPerToken)
  const readable = new WeakMap<ModelMessage, ModelMessage>()
  let hasTriedSummary = !limits.summaries

  function tellOnce(what: string, text: string, more: object = {}): void {
    if (told.has(what)) return
    told.add(what)
    hands.say(notice(text, more))
  }

  function toolsShown(): { tools: readonly ChatTool[]; tokens: number } {
    const all = hands.tools()
    const tokens = sizeOf(all)
    if (tokens <= facts.window * mostForTools) return { tools: all, tokens }
    const few = hands.tools(true)
    tellOnce(
      'tools',
      `The tools take about ${tokens} of the ${facts.window} tokens that fit into the model's window. It is told of ${few.length} of ${all.length}, and finds the others by searching`,
    )
    return { tools: few, tokens: sizeOf(few) }
  }

  /** How many tokens of the conversation fit beside the rest. Throws NoRoom. */
  function roomBeside(tools: number): number {
    const room = facts.window - maxOutputTokens - needs.count(system) - tools
    if (room < leastRoom)
      throw new NoRoom(
        `The tools (about ${tools} tokens) and the instructions leave no room in the model's window of ${facts.window} tokens. Allow the agent fewer tools, or choose a model with a larger window`,
      )
    return Math.floor(Math.min(limits.historyTokens, room) * share)
  }

  function fitted(
    messages: readonly ModelMessage[],
    tokens: number,
    part = 1,
    most = limits.historyMessages,
  ): Fitted {
    const forSummary = summary === null ? 0 : needs.count(summary) + 50
    const room = {
      tokens: Math.floor((tokens - forSummary) * part),
      messages: Math.floor(most * part),
    }
    // Counting is slow. What is far from the limit needs no more than a guess.
    const guess = messages.reduce((sum, message) => sum + tokensOf(message, roughly), 0)
    return fitWindow(messages, room, guess * 2 < room.tokens ? roughly : needs.count)
  }

  /** With room to spare, unless what was said last takes it. */
  function fittedOrMore(messages: readonly ModelMessage[], tokens: number): Fitted {
    try {
      return fitted(messages, tokens, leftBySummary)
    } catch (error) {
      if (error instanceof DoesNotFit) return fitted(messages, tokens)
      throw error
    }
  }

  /** Throws NoRoom. */
  function fittedOrNot(messages: readonly ModelMessage[], tokens: number): Fitted {
    try {
      return fitted(messages, tokens)
    } catch (error) {
      if (error instanceof DoesNotFit) throw new NoRoom(`${error.message}. ${adviceFor(tokens)}`)
      throw error
    }
  }

  function whyLess(messages: readonly ModelMessage[], tokens: number, dropped: number): string {
    if (fitted(seenBy(messages), tokens, 1, Number.POSITIVE_INFINITY).dropped.length < dropped)
      return `MAX_HISTORY_MESSAGES is ${limits.historyMessages}`
    if (share < 1) return `${provider} takes no more`
    return tokens >= limits.historyTokens
      ? `MAX_HISTORY_TOKENS is ${limits.historyTokens}`
      : `no more fits into the model's window of ${facts.window} tokens`
  }

  const adviceFor = (tokens: number): string =>
    tokens >= Math.floor(limits.historyTokens * share)
      ? 'Say it in fewer words, or raise MAX_HISTORY_TOKENS if the model has room for more'
      : `Say it in fewer words, or choose a model with a larger window than ${facts.window} tokens`

  /** Sums up what is dropped, and takes it out of the messages. Without a summary the turn goes on all the same. */
  async function shorten(messages: ModelMessage[], heard: number, tokens: number): Promise<void> {
    hasTriedSummary = true
    const mostTokens = Math.min(mostOfSummary, Math.floor(tokens / 4))
    try {
      const { dropped } = fittedOrMore(seenBy(messages), tokens)
      const { text, usage } = await sumUp({ ...needs, before: summary, messages: dropped, mostTokens })
      meter.addBeside(usage)
      messages.splice(0, dropped.length)
      summary = text
      const turns = messages.filter(({ role }) => role === 'user').length
      hands.say({
        type: 'data-summary',
        data: { text, tokens: needs.count(text), messages: dropped.length, keptTurns: turns - heard },
      })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelFailed)) throw error
      hands.say(notice(`What the model is not shown any more could not be summed up: ${error.message}`))
    }
  }

  return {
    /**
     * May take the oldest out of `messages`, of which the last `heard` were said since the last step. Throws NoRoom; when the signal is
     * aborted, its reason.
     */
    async step(messages: ModelMessage[], heard: number): Promise<Shown> {
      const { tools, tokens: forTools } = toolsShown()
      const room = roomBeside(forTools)
      let shown = fittedOrNot(seenBy(messages), room)
      if (shown.dropped.length > 0 && !hasTriedSummary) {
        await shorten(messages, heard, room)
        shown = fittedOrNot(seenBy(messages), room)
      }
      const { dropped, shortened, stepsLeftOut } = shown
      if (dropped.length + shortened + stepsLeftOut > 0)
        tellOnce(
          'past',
          `The model is shown the newest part of the conversation, about ${shown.tokens} tokens: ${whyLess(messages, room, dropped.length)}`,
          {
            dropped: dropped.length,
            shortened,
            ...(stepsLeftOut > 0 && { stepsLeftOut }),
          },
        )
      const tokens = shown.tokens + needs.count(system) + forTools
      hasShownOldFiles = hasOldFiles(shown.messages)
      return { messages: presentable(withSummary(shown.messages, summary)), tools, maxOutputTokens, tokens }
    },
    /**
     * The provider counts differently, or something is not to its liking, which may be a file that was sent long ago: from now on less is
     * shown. False when that was tried already, or would not help.
     */
    shrink(why: FailureKind): boolean {
      if (why === 'overflow' && share === 1) share = afterOverflow
      else if (why !== 'bad_request' || !hasShownOldFiles || !isWithOldFiles) return false
      isWithOldFiles = false
      return true
    },
  }

  /** One for each, so that what is dropped of them is known. */
  function seenBy(messages: readonly ModelMessage[]): readonly ModelMessage[] {
    return withRecentFiles(messages.map(read), isWithOldFiles ? mostFileBytes : -1)
  }

  function read(message: ModelMessage): ModelMessage {
    const known = readable.get(message)
    if (known) return known
    const { seesImages } = facts
    const mine = readableFor(message, { provider, seesImages, mostText }, (what, mediaType) => {
      if (what === 'picture')
        tellOnce('images', `${provider} cannot see pictures with this model: it is told that there are some`)
      else if (what === 'file')
        tellOnce(
          'files',
          `${provider} takes no files of the type ${mediaType}: the model is told that there is one`,
        )
      else tellOnce('long files', `Of a long text file the model is shown the first ${mostText} characters`)
    })
    readable.set(message, mine)
    return mine
  }
}

const sizeOf = (tools: readonly ChatTool[]): number => roughly(JSON.stringify(tools))
