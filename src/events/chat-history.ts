import type { UiMessage } from '#contract/chat.ts'
import { lastSeq } from '#db/events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Database } from '#db/pool.ts'
import { idOfSaid } from '#domain/conversation.ts'
import { UiMessageBuilder } from '#domain/ui-message.ts'
import { conversationSpans, eventsIn } from './conversation.ts'
import { ChatTurn } from './chat-turn.ts'

interface Told {
  turn: ChatTurn
  builder: UiMessageBuilder
  /** Where its events begin. */
  from: number
}

interface SaidPayload {
  text: string
  files?: { url: string; mediaType: string; name?: string }[]
  messageId?: string | null
}

/** A session as messages of a chat: what people said, and what came of it, a message for each turn. */
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
    const told = this.#told.get(executionId)
    // What is said in the middle of a turn stands there where it was said.
    if (type === 'data-message' && !told) return this.#begin(executionId, event)
    if (!told) return
    const isTakenAgain = type === 'start-step' && told.turn.ui.isInStep
    const chunks = told.turn.take(event)
    if (isTakenAgain) told.builder.forgetStep()
    for (const chunk of isTakenAgain ? chunks.slice(-1) : chunks) told.builder.add(chunk)
  }

  /** Nothing that is open goes on. */
  cut(): void {
    for (const { turn, builder } of this.#told.values())
      for (const chunk of turn.ui.end('The turn is over')) builder.add(chunk)
  }

  end(): UiMessage[] {
    for (const [executionId, { turn, builder, from }] of this.#told) {
      for (const chunk of turn.ui.showAll()) builder.add(chunk)
      // As a stream that pauses tells it: with the answer, the next one goes on from here.
      if (turn.ui.isWaiting) builder.message.metadata = { executionId, from, seq: this.#seq }
    }
    return this.#messages
  }

  #begin(executionId: string, { seq, payload }: StoredEvent): void {
    const { text, files = [], messageId = null }: SaidPayload = JSON.parse(payload)
    const builder = new UiMessageBuilder(executionId, { executionId })
    this.#told.set(executionId, { turn: new ChatTurn(), builder, from: seq - 1 })
    const attached = files.map(({ url, mediaType, name }) => ({
      type: 'file',
      url,
      mediaType,
      ...(name !== undefined && { filename: name }),
    }))
    const parts = [...attached, { type: 'text', text }]
    this.#messages.push(
      { id: this.#idFor({ seq, executionId, messageId }), role: 'user', parts },
      builder.message,
    )
    this.#ids.add(executionId)
  }

  /** Clients may call two messages the same; whoever reads them tells them apart by their ids. */
  #idFor(said: Parameters<typeof idOfSaid>[0]): string {
    const own = idOfSaid(said)
    const id = this.#ids.has(own) ? idOfSaid({ ...said, messageId: null }) : own
    this.#ids.add(id)
    return id
  }
}
