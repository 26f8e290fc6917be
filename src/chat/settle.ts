import type { ModelMessage, ToolResultPart } from 'ai'
import type { Chunk } from '#contract/agent-event.ts'
import type { CallOutcome, InQueue, TurnHands, WantedCall } from './port.ts'

/** So many calls of one step are looked at; a model that wants more is told so. */
const mostCalls = 128
/** The note on where the rest is comes on top of what may be given. */
const roomForNote = 1_000

/** Queued one after the other, then all at once; one that fails stops none of the others. */
export async function settle(
  calls: readonly WantedCall[],
  mostText: number,
  hands: TurnHands,
  signal: AbortSignal,
): Promise<ModelMessage> {
  const settled: Promise<ToolResultPart>[] = []
  for (const [at, call] of calls.entries()) {
    const { promise: queued, resolve: onQueued } = Promise.withResolvers<void>()
    const { position, total } = call.place ?? { position: at + 1, total: calls.length }
    const outcome =
      position <= mostCalls
        ? outcomeOf(call, { position, total, mostText }, hands, signal, onQueued)
        : Promise.resolve(tooMany(total))
    const told = outcome.then((what) => {
      const bounded = within(what, mostText + roomForNote)
      hands.say(chunkOf(call, bounded))
      return resultOf(call, bounded)
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

/** Whoever made the call was told how much may be given. This is for what comes by another way. */
function within(outcome: CallOutcome, most: number): CallOutcome {
  if (outcome.how === 'refused') return { ...outcome, reason: cut(outcome.reason, most) }
  if (outcome.how === 'failed') return { ...outcome, message: cut(outcome.message, most) }
  const { text, output } = outcome
  if (text.length <= most && sizeOf(output) <= most) return outcome
  const shown = cut(text, most)
  return { ...outcome, text: shown, output: shown }
}

const sizeOf = (output: unknown): number =>
  typeof output === 'string' ? output.length : (JSON.stringify(output)?.length ?? 0)

const cut = (text: string, most: number): string =>
  text.length <= most
    ? text
    : `${text.slice(0, most)}\n[This has ${text.length} characters: these are the first ${most}. Ask for less at once.]`

function chunkOf({ toolCallId }: WantedCall, outcome: CallOutcome): Chunk {
  if (outcome.how === 'refused') return { type: 'tool-output-denied', toolCallId, reason: outcome.reason }
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
