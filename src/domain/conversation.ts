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

/** What is known of a message of a person by which it can be found again. */
interface Said {
  seq: number
  executionId: string
  isWord: boolean
  messageId: string | null
}

/** What clients know a message of a person by: their own name for it where they gave one. */
export const idOfSaid = ({ messageId, ...said }: Said): string => messageId ?? ownIdOf(said)

const ownIdOf = ({ seq, executionId, isWord }: Omit<Said, 'messageId'>): string =>
  isWord ? `${executionId}.${seq}.said` : `${executionId}.${seq}`

/** What an answer to a word in the middle of a turn is called; the one to what the turn began with is called as the turn is. */
export const idOfAnswer = (executionId: string, seq: number): string => `${executionId}.${seq}`

/** The message of a person that is called this. */
export const findSaid = <Message extends Said>(said: readonly Message[], id: string): Message | undefined =>
  said.find((message) => id === idOfAnswer(message.executionId, message.seq) || id === ownIdOf(message)) ??
  said.find(({ messageId }) => messageId === id)

/** The message of a person that is answered by what is called this. Answers go by the turn, and by the word where they begin at one. */
export const findAnswered = <Message extends Said>(
  said: readonly Message[],
  id: string,
): Message | undefined =>
  said.find(({ executionId, isWord }) => executionId === id && !isWord) ?? findSaid(said, id)
