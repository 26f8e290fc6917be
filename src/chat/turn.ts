import { setTimeout as wait } from 'node:timers/promises'
import type { LanguageModel, ModelMessage } from 'ai'
import type { Chunk, Usage } from '#contract/agent-event.ts'
import { askedAgain, waitBefore, whyFailed } from './ask-again.ts'
import type { ModelFacts } from './catalogue.ts'
import { ModelFailed } from './failure.ts'
import { isGoingRound } from './going-round.ts'
import { inOrder } from './history.ts'
import { isSomething, noticeOfEnd, whyNothing } from './how-it-ended.ts'
import { openMeter } from './meter.ts'
import type { Meter } from './meter.ts'
import { notice } from './notice.ts'
import type { TurnEnded, TurnHands, TurnLimits, WantedCall } from './port.ts'
import { settle } from './settle.ts'
import { NoRoom, openShown } from './shown.ts'
import type { Shown } from './shown.ts'
import { takeStep } from './step.ts'
import type { StepDone } from './step.ts'
import { roughly } from './tokens.ts'
import type { CountTokens } from './tokens.ts'

export interface TurnWanted {
  model: LanguageModel
  provider: string
  facts: ModelFacts
  count: CountTokens
  system: string
  /** Everything up to now, what is to be answered last. */
  history: readonly ModelMessage[]
  /** What was summed up of what came before that. */
  summary: string | null
  /** Calls of the last step that have no outcome yet: the turn was cut off there. */
  open: readonly WantedCall[]
  /** Of all calls that there ever were. */
  callIds: ReadonlySet<string>
  /** What it had used by then. */
  used: Usage | null
  limits: TurnLimits
  /** What to do about a failure. */
  advise?: (failure: ModelFailed) => string
  signal: AbortSignal
}

/** The share of the room that the answer to one call may take, and how many characters a token has at least. */
const shareOfAnswer = 0.25
const charactersPerToken = 3

/** Asks the model again and again until it wants nothing more. When the signal is aborted it throws its reason. */
export async function takeTurn(wanted: TurnWanted, hands: TurnHands): Promise<TurnEnded> {
  const { limits, facts, signal } = wanted
  const messages = [...wanted.history]
  const callIds = new Set(wanted.callIds)
  const room = Math.min(limits.historyTokens, facts.window)
  const mostText = Math.floor(room * shareOfAnswer * charactersPerToken)
  const meter = openMeter(facts, wanted.used, (usage) => hands.tell(usage))
  const shown = openShown(wanted, meter, hands)
  const past: string[] = []
  /** Of the messages, the last ones: no step was told of them yet. */
  let heard = 0
  let hasSaid = messages.at(-1)?.role !== 'user'

  function hear(): number {
    const words = hands.heard()
    messages.push(...words)
    heard += words.length
    return words.length
  }

  /** One step, tried again where that may help. */
  async function step(): Promise<StepDone | TurnEnded> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const now = await shown.step(messages, heard)
        heard = 0
        return await asked(wanted, now, callIds, meter, hands)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof NoRoom) return { how: 'failed', message: error.message }
        if (!(error instanceof ModelFailed)) throw error
        if (shown.shrink(error.kind)) {
          hands.say(notice(`${error.message}. It is asked again with less of the past`))
          continue
        }
        const waitMs = waitBefore(error, attempt)
        if (waitMs === undefined)
          return { how: 'failed', message: whyFailed(error, wanted.advise?.(error) ?? '') }
        hands.say(notice(askedAgain(error, waitMs), { attempt, waitMs }))
        await wait(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
      }
    }
  }

  if (limits.costUsd !== null && !facts.price && wanted.used === null) hands.say(unpriced(limits.costUsd))
  if (wanted.open.length > 0) takeResults(messages, await settle(wanted.open, mostText, hands, signal))
  for (;;) {
    hear()
    const spent = meter.over(limits)
    if (spent) return { how: 'limited', message: spent }
    const done = await step()
    if (!('finish' in done)) return done
    messages.push(...done.messages)
    hasSaid ||= isSomething(done.messages)
    const told = noticeOfEnd(done.finish, limits.outputTokens)
    if (told) hands.say(told)
    await hands.kept()
    if (done.calls.length === 0) {
      if (hear() > 0) continue
      if (hasSaid) return { how: 'completed' }
      return { how: 'failed', message: whyNothing(done.finish, limits.outputTokens) }
    }
    past.push(JSON.stringify(done.calls.map(({ toolName, input }) => [toolName, input])))
    if (isGoingRound(past))
      return { how: 'failed', message: 'The model asks for the same again and again, and was stopped' }
    takeResults(messages, await settle(done.calls, mostText, hands, signal))
  }
}

/** Asks the model once. What it said before it broke off was paid for too, and is counted as far as we can. */
async function asked(
  { model, provider, system, signal }: TurnWanted,
  { messages, tools, maxOutputTokens, tokens }: Shown,
  callIds: Set<string>,
  meter: Meter,
  hands: TurnHands,
): Promise<StepDone> {
  let output = 0
  hands.say({ type: 'start-step' })
  try {
    const done = await takeStep(
      { model, provider, system, messages, tools, callIds, maxOutputTokens, signal },
      (chunk) => {
        output += charactersIn(chunk)
        hands.say(chunk)
      },
    )
    meter.add(done.usage)
    hands.say({ type: 'finish-step' })
    return done
  } catch (error) {
    const nothing = { cachedInput: 0, cacheWrite: 0, reasoning: 0 }
    if (output > 0) meter.addBeside({ ...nothing, input: tokens, output: roughly('x'.repeat(output)) })
    throw error
  }
}

const charactersIn = ({ delta, inputTextDelta }: Chunk): number =>
  [delta, inputTextDelta].reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)

/** Results of one step stand together, also those that came before it was cut off. */
function takeResults(messages: ModelMessage[], results: ModelMessage): void {
  const last = messages.at(-1)
  if (last?.role === 'tool' && results.role === 'tool')
    messages[messages.length - 1] = {
      ...last,
      content: inOrder(messages.at(-2), [...last.content, ...results.content]),
    }
  else messages.push(results)
}

const unpriced = (mostUsd: number): Chunk =>
  notice(
    `What this model costs is not known: the budget of $${mostUsd.toFixed(2)} that is left cannot be held. Limits in tokens and steps (maxTokens, maxTurns) are`,
  )
