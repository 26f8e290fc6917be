import type { Chunk } from '#contract/agent-event.ts'
import type { UiMessage } from '#contract/chat.ts'
import { lastSeq } from '#db/events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Database } from '#db/pool.ts'
import { idOfAnswer, idOfSaid } from '#domain/conversation.ts'
import { UiMessageBuilder } from '#domain/ui-message.ts'
import { conversationSpans, eventsIn } from './conversation.ts'
import { ChatTurn } from './chat-turn.ts'

interface Told {
  turn: ChatTurn
  /** A message for each piece of the answer: what people say in between cuts it. */
  pieces: Piece[]
}

interface Piece {
  builder: UiMessageBuilder
  /** Where its events begin. */
  from: number
}

interface SaidPayload {
  text: string
  files?: { url: string; mediaType: string; name?: string }[]
  messageId?: string | null
  /** It was said in the middle of a turn. */
  commandId?: string
}

/** A session as messages of a chat: what people said, and what came of it, a message for each time. */
export async function readChatHistory(db: Database, sessionId: string): Promise<UiMessage[]> {
  const history = new ChatHistory()
  const spans = await conversationSpans(db, sessionId, (await lastSeq(db, sessionId)) ?? 0)
  for (const span of spans) {
    // What was under way at a place from which everything was left is under way no more.
    history.cut()
    for await (const event of eventsIn(db, span)) history.take(event)
  }
  return history.end()
}

export class ChatHistory {
  readonly #messages: UiMessage[] = []
  readonly #told = new Map<string, Told>()
  readonly #ids = new Set<string>()
  #seq = 0

  take(event: StoredEvent): void {
    this.#seq = event.seq
    const { executionId, type } = event
    if (executionId === null) return
    if (type === 'data-message') return this.#takeMessage(executionId, event)
    const told = this.#told.get(executionId)
    if (!told) return
    const isTakenAgain = type === 'start-step' && told.turn.ui.isInStep
    const chunks = told.turn.take(event)
    if (isTakenAgain) told.pieces.findLast(({ builder }) => builder.forgetStep())
    tell(told, isTakenAgain ? chunks.slice(-1) : chunks)
  }

  /** Nothing that is open goes on. */
  cut(): void {
    for (const told of this.#told.values()) tell(told, told.turn.ui.end('The turn is over'))
  }

  end(): UiMessage[] {
    const empty = new Set<UiMessage>()
    for (const [executionId, told] of this.#told) {
      tell(told, told.turn.ui.showAll())
      if (told.turn.ui.isWaiting) askAtTheEnd(executionId, told, this.#seq)
      for (const { builder } of told.pieces.slice(0, told.turn.last ? undefined : -1))
        if (told.pieces.length > 1 && builder.message.parts.length === 0) empty.add(builder.message)
    }
    return this.#messages.filter((message) => !empty.has(message))
  }

  #takeMessage(executionId: string, { seq, payload }: StoredEvent): void {
    const { text, files = [], messageId = null, commandId }: SaidPayload = JSON.parse(payload)
    const known = this.#told.get(executionId)
    if (known) tell(known, known.turn.ui.pause())
    const id = known ? idOfAnswer(executionId, seq) : executionId
    const builder = new UiMessageBuilder(id, { executionId })
    if (known) known.pieces.push({ builder, from: seq })
    else this.#told.set(executionId, { turn: new ChatTurn(), pieces: [{ builder, from: seq - 1 }] })
    const attached = files.map(({ url, mediaType, name }) => ({
      type: 'file',
      url,
      mediaType,
      ...(name !== undefined && { filename: name }),
    }))
    const parts = [...attached, { type: 'text', text }]
    const isWord = commandId !== undefined
    this.#messages.push(
      { id: this.#idFor({ seq, executionId, messageId, isWord }), role: 'user', parts },
      builder.message,
    )
    this.#ids.add(id)
  }

  /** Clients may call two messages the same; whoever reads them tells them apart by their ids. */
  #idFor(said: Parameters<typeof idOfSaid>[0]): string {
    const own = idOfSaid(said)
    const id = this.#ids.has(own) ? idOfSaid({ ...said, messageId: null }) : own
    this.#ids.add(id)
    return id
  }
}

/** What becomes of a call is told where it was made. */
function tell({ pieces }: Told, chunks: readonly Chunk[]): void {
  for (const chunk of chunks)
    (pieces.find(({ builder }) => builder.knows(chunk)) ?? pieces.at(-1))?.builder.add(chunk)
}

/** As a stream that pauses tells it: what is asked comes last, and with the answer the next one goes on from there. */
function askAtTheEnd(executionId: string, { turn, pieces }: Told, seq: number): void {
  const last = pieces.at(-1)
  if (!last) return
  const { builder, from } = last
  const again = pieces.length > 1 ? turn.ui.beginMessage(from) : []
  const made = again.filter((chunk) => !builder.knows(chunk))
  for (const chunk of made) builder.add(chunk)
  builder.message.metadata = { executionId, from, seq }
}
