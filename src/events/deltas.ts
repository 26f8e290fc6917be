import type { NewEvent } from '#contract/event.ts'

// The streamed pieces of the AI SDK's UI message chunks: where the piece is, and what tells two parts apart.
const pieces: Record<string, { text: string; part: string }> = {
  'text-delta': { text: 'delta', part: 'id' },
  'reasoning-delta': { text: 'delta', part: 'id' },
  'tool-input-delta': { text: 'inputTextDelta', part: 'toolCallId' },
}

/** Joins neighbouring pieces of the same part: forty tokens of one sentence become one record. */
export function mergeDeltas(batch: readonly NewEvent[]): NewEvent[] {
  const merged: NewEvent[] = []
  for (const event of batch) {
    const last = merged.at(-1)
    const joined = last && join(last, event)
    if (joined) merged[merged.length - 1] = joined
    else merged.push(event)
  }
  return merged
}

function join(first: NewEvent, second: NewEvent): NewEvent | undefined {
  const piece = pieces[second.type]
  if (!piece || first.type !== second.type || first.executionId !== second.executionId) return undefined
  const [before, after] = [first.payload, second.payload] as Record<string, unknown>[]
  if (!before || !after || before[piece.part] !== after[piece.part]) return undefined
  const fields = Object.keys(after)
  if (fields.length !== Object.keys(before).length) return undefined
  // A piece that carries more than its text (provider metadata, say) must stay as it is.
  const [head, tail] = [before[piece.text], after[piece.text]]
  if (typeof head !== 'string' || typeof tail !== 'string') return undefined
  if (fields.some((field) => field !== piece.text && before[field] !== after[field])) return undefined
  return { ...first, payload: { ...before, [piece.text]: head + tail } }
}
