import { setTimeout as wait } from 'node:timers/promises'
import type { LanguageModel, ModelMessage, ToolResultPart } from 'ai'
import type { Chunk } from '#contract/agent-event.ts'
import { costOf } from './catalogue.ts'
import type { ModelFacts } from './catalogue.ts'
import { ModelFailed } from './failure.ts'
import { isGoingRound } from './going-round.ts'
import type { CallOutcome, InQueue, TurnEnded, TurnHands, TurnLimits, WantedCall } from './port.ts'
import { takeStep } from './step.ts'
import type { StepDone, StepUsage } from './step.ts'
import { roughly } from './tokens.ts'
import type { CountTokens } from './tokens.ts'
import { DoesNotFit, fitWindow } from './window.ts'

export interface TurnWanted {
  model: LanguageModel
  provider: string
  facts: ModelFacts
  count: CountTokens
  system: string
  /** Everything up to now, what is to be answered last. */
  history: readonly ModelMessage[]
  /** Calls of the last step that have no outcome yet: the turn was cut off there. */
  open: readonly WantedCall[]
  limits: TurnLimits
  signal: AbortSignal
}

/** The share of the room that the answer to one call may take, and how many characters a token has at least. */
const shareOfAnswer = 0.25
const charactersPerToken = 3
/** So many calls of one step are looked at; a model that wants more is told so. */
const mostCalls = 128
const mostTries = 4
const firstWaitMs = 500
/** Of what was thought to fit, when the provider says that it does not. */
const afterOverflow = 0.6

/** Asks the model again and again until it wants nothing more. When the signal is aborted it throws its reason. */
export async function takeTurn(wanted: TurnWanted, hands: TurnHands): Promise<TurnEnded> {
  const { limits, facts, signal } = wanted
  const messages = [...wanted.history]
  const past: string[] = []
  const callIds = new Set(messages.flatMap(callIdsIn))
  const room = Math.min(limits.historyTokens, facts.window)
  const mostText = Math.floor(room * shareOfAnswer * charactersPerToken)
  const meter = openMeter(facts, hands)
  if (wanted.open.length > 0) messages.push(await settle(wanted.open, mostText, hands, signal))
  for (;;) {
    messages.push(...hands.heard())
    const spent = meter.over(limits)
    if (spent) return { how: 'limited', message: spent }
    const done = await answered(wanted, messages, callIds, hands)
    if (!('finish' in done)) return done
    meter.add(done.usage)
    messages.push(...done.messages)
    if (done.finish === 'length') hands.say(cutOff(limits.outputTokens))
    await hands.kept()
    if (done.calls.length === 0) {
      const more = hands.heard()
      if (more.length === 0) return { how: 'completed' }
      messages.push(...more)
      continue
    }
    past.push(JSON.stringify(done.calls.map(({ toolName, input }) => [toolName, input])))
    if (isGoingRound(past))
      return { how: 'failed', message: 'The model asks for the same again and again, and was stopped' }
    messages.push(await settle(done.calls, mostText, hands, signal))
  }
}

/** One step, tried again where that may help. */
async function answered(
  wanted: TurnWanted,
  messages: readonly ModelMessage[],
  callIds: Set<string>,
  hands: TurnHands,
): Promise<StepDone | TurnEnded> {
  const { signal, provider } = wanted
  let share = 1
  for (let attempt = 1; ; attempt += 1) {
    try {
      const shown = fitted(wanted, messages, share, hands)
      hands.say({ type: 'start-step' })
      const done = await takeStep(
        {
          model: wanted.model,
          provider,
          system: wanted.system,
          messages: shown,
          tools: hands.tools(),
          callIds,
          maxOutputTokens: Math.min(wanted.limits.outputTokens, wanted.facts.maxOutput),
          signal,
        },
        (chunk) => hands.say(chunk),
      )
      hands.say({ type: 'finish-step' })
      return done
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof DoesNotFit) return { how: 'failed', message: tooMuch(error) }
      if (!(error instanceof ModelFailed)) throw error
      if (error.kind === 'overflow' && share === 1) {
        share = afterOverflow
        hands.say(notice(`${error.message}. It is asked again with less of the past`))
        continue
      }
      if (!error.isPassing || attempt === mostTries) return { how: 'failed', message: error.message }
      const waitMs = error.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1)
      hands.say(notice(`${error.message}. It is asked again`, { attempt, waitMs }))
      await wait(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

/** As much of the past as fits beside the tools, the instructions and an answer. */
function fitted(
  { facts, limits, system, count }: TurnWanted,
  messages: readonly ModelMessage[],
  share: number,
  hands: TurnHands,
): ModelMessage[] {
  const beside = count(system) + roughly(JSON.stringify(hands.tools()))
  const room = facts.window - Math.min(limits.outputTokens, facts.maxOutput) - beside
  const tokens = Math.floor(Math.min(limits.historyTokens, room) * share)
  const seen = facts.seesImages ? messages : messages.map(withoutImages)
  const shown = fitWindow(seen, { tokens, messages: limits.historyMessages }, count)
  if (shown.dropped.length > 0 || shown.shortened > 0)
    hands.say(
      notice(`The model is shown the newest part of the conversation: ${shown.tokens} tokens`, {
        dropped: shown.dropped.length,
        shortened: shown.shortened,
      }),
    )
  return shown.messages
}

/** Queued one after the other, then all at once; one that fails stops none of the others. */
async function settle(
  calls: readonly WantedCall[],
  mostText: number,
  hands: TurnHands,
  signal: AbortSignal,
): Promise<ModelMessage> {
  const settled: Promise<ToolResultPart>[] = []
  for (const [at, call] of calls.entries()) {
    const { promise: queued, resolve: onQueued } = Promise.withResolvers<void>()
    const outcome =
      at < mostCalls
        ? outcomeOf(call, { position: at + 1, total: calls.length, mostText }, hands, signal, onQueued)
        : Promise.resolve(tooMany(calls.length))
    const told = outcome.then((what) => {
      hands.say(chunkOf(call, what))
      return resultOf(call, what)
    })
    told.catch(() => undefined) // all of them are awaited below
    settled.push(told)
    await Promise.race([queued, told])
  }
  const content = await Promise.all(settled)
  await hands.kept()
  return { role: 'tool', content }
}

async function outcomeOf(
  call: WantedCall,
  queue: InQueue,
  hands: TurnHands,
  signal: AbortSignal,
  onQueued: () => void,
): Promise<CallOutcome> {
  if (call.fault !== undefined) return failed(call.fault)
  return hands.call(call, queue, signal, onQueued)
}

const tooMany = (count: number): CallOutcome =>
  failed(`Not called: ${count} calls at once are too many, ${mostCalls} are the most`)

const failed = (message: string): CallOutcome => ({ how: 'failed', message })

function chunkOf({ toolCallId }: WantedCall, outcome: CallOutcome): Chunk {
  if (outcome.how === 'refused') return { type: 'tool-output-denied', toolCallId }
  if (outcome.how === 'failed') return { type: 'tool-output-error', toolCallId, errorText: outcome.message }
  if (outcome.isError) return { type: 'tool-output-error', toolCallId, errorText: outcome.text }
  return { type: 'tool-output-available', toolCallId, output: outcome.output }
}

function resultOf({ toolCallId, toolName }: WantedCall, outcome: CallOutcome): ToolResultPart {
  const base = { type: 'tool-result', toolCallId, toolName } as const
  if (outcome.how === 'refused')
    return { ...base, output: { type: 'execution-denied', reason: outcome.reason } }
  if (outcome.how === 'failed') return { ...base, output: { type: 'error-text', value: outcome.message } }
  return { ...base, output: { type: outcome.isError ? 'error-text' : 'text', value: outcome.text } }
}

function openMeter(facts: ModelFacts, hands: TurnHands) {
  const sum: StepUsage = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0, reasoning: 0 }
  let steps = 0
  return {
    add(used: StepUsage): void {
      steps += 1
      for (const name of Object.keys(sum) as (keyof StepUsage)[]) sum[name] += used[name]
      hands.tell({
        inputTokens: sum.input,
        outputTokens: sum.output,
        cachedInputTokens: sum.cachedInput,
        reasoningTokens: sum.reasoning,
        steps,
        costUsd: costOf(facts, sum),
        contextUsed: used.input + used.output,
        contextWindow: facts.window,
      })
    },
    /** Why it may go no further, if it may not. */
    over({ steps: most, costUsd, tokens }: TurnLimits): string | undefined {
      if (most !== null && steps >= most) return `It has taken ${steps} steps, which is the limit (maxTurns)`
      const used = sum.input + sum.output
      if (tokens !== null && used >= tokens)
        return `It has used ${used} tokens, which is the limit (maxTokens)`
      const cost = costOf(facts, sum) ?? 0
      if (costUsd !== null && cost >= costUsd)
        return `It has spent $${cost.toFixed(2)}, which is the limit (maxBudgetUsd)`
      return undefined
    },
  }
}

const callIdsIn = ({ role, content }: ModelMessage): string[] =>
  role === 'assistant' && typeof content !== 'string'
    ? content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    : []

const notice = (text: string, more: object = {}): Chunk => ({ type: 'data-notice', data: { text, ...more } })

const cutOff = (most: number): Chunk =>
  notice(`The answer was cut off after ${most} tokens. MAX_OUTPUT_TOKENS allows longer ones`)

const tooMuch = ({ message }: DoesNotFit): string =>
  `${message}. Say it in fewer words, or raise MAX_HISTORY_TOKENS if the model has room for more`

function withoutImages(message: ModelMessage): ModelMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message
  const content = message.content.map((part) =>
    part.type === 'image' || (part.type === 'file' && part.mediaType.startsWith('image/'))
      ? { type: 'text' as const, text: '[There is a picture here, which this model cannot see]' }
      : part,
  )
  return { ...message, content }
}
