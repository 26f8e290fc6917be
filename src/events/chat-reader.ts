import type { Chunk } from '#contract/agent-event.ts'
import { readChatEvents } from '#db/chat-events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Database } from '#db/pool.ts'
import { ChatTurn } from './chat-turn.ts'
import type { Reader } from './reader.ts'
import { heartbeat } from './sse.ts'
import type { Batch, Tail } from './tail.ts'

/** Which part of which turn is to be read. */
export interface ChatPlace {
  sessionId: string
  executionId: string
  /** What the client calls the message that it puts together. */
  messageId: string
  /** The turn is read from here on… */
  from: number
  /** …the message begins here, if it is not the turn's first… */
  begins?: number | undefined
  /** …and is told from here on: the client has what lies between. */
  after?: number | undefined
}

interface ChatReaderOptions {
  db: Database
  tail: Tail
  place: ChatPlace
  whose: string | undefined
  until: Date | undefined
}

const mostUnread = 1_048_576
/** A question waits this long for other calls of its step to end. */
const heldBackMs = 1_000
const encoder = new TextEncoder()

/** One reader of one turn, as a UI message stream. It ends with the turn, and whenever a person is asked. */
export function openChatReader(
  { db, tail, place, whose, until }: ChatReaderOptions,
  gone: () => void,
): Reader {
  const { sessionId, executionId, messageId, from, begins, after } = place
  const turn = new ChatTurn()
  const heard = after ?? begins ?? from
  let isSilent = after !== undefined || begins !== undefined
  let isBegun = begins === undefined
  let at = from
  let live = false
  let ended = false
  let patience: NodeJS.Timeout | undefined
  let controller: ReadableStreamDefaultController<Uint8Array>

  function leave(): void {
    if (ended) return
    ended = true
    clearTimeout(patience)
    tail.subscribers.delete(onBatch)
    gone()
  }

  function close(last?: Chunk): void {
    if (ended) return
    if (last) send([last])
    if (last) controller.enqueue(encoder.encode('data: [DONE]\n\n'))
    leave()
    controller.close()
  }

  /** The client has no way to tell a stream that was cut from one that is complete, unless it is told. */
  const cut = () => close({ type: 'error', errorText: 'The stream was cut off: read it again' })

  function send(chunks: readonly Chunk[]): void {
    let text = ''
    for (const chunk of chunks) text += `data: ${JSON.stringify(chunk)}\n\n`
    if (text) controller.enqueue(encoder.encode(text))
  }

  /** What comes before it belongs to another message. */
  function begin(seq: number): void {
    isBegun = true
    const again = turn.ui.beginMessage(seq)
    if (after !== undefined) return
    isSilent = false
    send(again)
  }

  /** Up to here the client has it all. Texts that are under way go on as others. */
  function breakSilence(): void {
    if (!isBegun && begins !== undefined) begin(begins)
    if (!isSilent) return
    isSilent = false
    turn.ui.showAll()
    turn.ui.pause()
  }

  /** Calls of one step are asked about one after the other. */
  function waitAnew(): void {
    clearTimeout(patience)
    patience = undefined
  }

  function take(events: readonly StoredEvent[]): void {
    for (const event of events) {
      if (event.seq <= at) continue
      if (!isBegun && begins !== undefined && event.seq > begins) begin(begins)
      if (isSilent && event.seq > heard) breakSilence()
      at = event.seq
      if (event.executionId !== executionId || event.type === 'data-terminal') continue
      if (event.type === 'tool-approval-request') waitAnew()
      const chunks = turn.take(event)
      if (!isSilent) send(chunks)
      if (turn.last && !isSilent) return close(turn.last)
    }
  }

  /** A chat client answers when the stream has ended. Where it reads on from then is told with the end. */
  function pause(): void {
    send(turn.ui.pause())
    close({
      type: 'finish',
      finishReason: 'tool-calls',
      messageMetadata: { executionId, from: begins ?? from, seq: at },
    })
  }

  /** Everything that is known was read: a question that is still open waits for whoever reads this. */
  function rest(): void {
    if (ended) return
    if (turn.ui.isWaiting) return pause()
    if (!turn.ui.holdsBack) return
    patience ??= setTimeout(() => {
      patience = undefined
      if (ended || !turn.ui.holdsBack) return
      send(turn.ui.showAll())
      pause()
    }, heldBackMs)
  }

  function onBatch({ events }: Batch): void {
    if ((controller.desiredSize ?? 0) <= 0) {
      live = false // whoever reads on asks for more, and gets it from the table
      tail.subscribers.delete(onBatch)
      return
    }
    take(events)
    rest()
  }

  async function readOn(): Promise<void> {
    while (!live && !ended) {
      const known = tail.at
      if (at >= known) {
        if (isSilent) breakSilence()
        // No await between the look at the tail and joining it: nothing can slip through.
        live = true
        tail.subscribers.add(onBatch)
        tail.wake() // it may have begun with us, and not know what there is
        return rest()
      }
      const page = await readChatEvents(db, sessionId, at, known)
      if (ended) return
      const before = controller.desiredSize
      take(page)
      if (page.length === 0) at = Math.max(at, known)
      if (controller.desiredSize !== before) return
    }
  }

  const bytes = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
        send([{ type: 'start', messageId, messageMetadata: { executionId } }])
      },
      pull: () => (live ? undefined : readOn().catch(cut)),
      cancel: leave,
    },
    { highWaterMark: mostUnread, size: (chunk) => chunk.byteLength },
  )
  return {
    whose,
    bytes,
    beat: () => {
      if (until && Date.now() >= until.getTime()) cut()
      else if (!ended && (controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat)
    },
    end: cut,
  }
}
