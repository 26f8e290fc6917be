/** A piece of a stream that belongs to a conversation: what comes after `after`, up to and with `upTo`. */
export interface Span {
  streamId: string
  after: number
  upTo: number
}

/** What changes which events belong to the conversation. */
export type Mark = { seq: number } & (
  | { type: 'data-afresh' }
  /** Everything after this place was left: in this stream, or, in a fork, in the one that it comes from. */
  | { type: 'data-branch'; after: number; of?: string | undefined }
)

/** What of a stream, up to `upTo`, belongs to the conversation as it stands; `inherited` is what a fork begins with. */
export function spansOf(
  streamId: string,
  marks: readonly Mark[],
  upTo: number,
  inherited: readonly Span[] = [],
): Span[] {
  let spans = [...inherited]
  let after = 0
  for (const mark of marks) {
    spans.push({ streamId, after, upTo: mark.seq - 1 })
    spans = mark.type === 'data-afresh' ? [] : cutAfter(spans, mark.of ?? streamId, mark.after)
    after = mark.seq
  }
  return [...spans, { streamId, after, upTo }].filter((span) => span.upTo > span.after)
}

function cutAfter(spans: readonly Span[], streamId: string, place: number): Span[] {
  const first = spans.findIndex((span) => span.streamId === streamId && span.upTo > place)
  if (first === -1) return [...spans]
  const kept = spans.slice(0, first)
  const cut = spans[first]
  return cut && cut.after < place ? [...kept, { ...cut, upTo: place }] : kept
}

/** Whether an event belongs to the conversation. */
export const isWithin = (spans: readonly Span[], streamId: string, seq: number): boolean =>
  spans.some((span) => span.streamId === streamId && seq > span.after && seq <= span.upTo)
