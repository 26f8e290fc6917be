import type { Chunk } from '#contract/agent-event.ts'
import type { UiMessage } from '#contract/chat.ts'
import { UiMessageBuilder } from '#domain/ui-message.ts'
import { UiTurn } from '#domain/ui-turn.ts'
import type { AskedInTurn } from '#domain/ui-turn.ts'
import { newId } from '#lib/id.ts'
import { frameOf, heartbeat, lastFrame, openFrames } from './frames.ts'
import type { FrameReader } from './frames.ts'

/** How a turn ended; with `errorText` it went wrong. */
export interface TurnEnding {
  finishReason?: 'stop' | 'interrupted'
  errorText?: string
}

const heldBackMs = 1_000
const heartbeatMs = 15_000

/** A turn under way, for any number of readers, each of whom may come late. */
export class LiveTurn {
  readonly messageId = newId()
  readonly #ui = new UiTurn()
  readonly #builder = new UiMessageBuilder(this.messageId)
  /** Everything that was told, with neighbouring deltas joined. */
  readonly #told: Chunk[] = []
  readonly #readers = new Set<FrameReader>()
  readonly #heart = setInterval(() => this.#send(heartbeat), heartbeatMs)
  #patience: NodeJS.Timeout | undefined
  /** Where the stream paused last: whoever has answered reads on from there. */
  #pausedAt = 0
  #isPaused = false
  #ending: TurnEnding | undefined

  get message(): UiMessage {
    return this.#builder.message
  }

  get isOver(): boolean {
    return this.#ending !== undefined
  }

  take(chunk: Chunk): void {
    this.#tell(this.#ui.take(chunk))
  }

  ask(asked: AskedInTurn): void {
    this.#tell(this.#ui.ask(asked))
  }

  /** Answered, or not waited for any more. */
  settle(approvalId: string, approved: boolean, reason?: string): void {
    const told = this.#ui.answer(approvalId, approved, reason)
    this.#isPaused = this.#isPaused && this.#ui.isWaiting
    this.#tell(told)
  }

  end({ finishReason, errorText = this.#ui.error }: TurnEnding): void {
    if (this.#ending) return
    clearInterval(this.#heart)
    clearTimeout(this.#patience)
    for (const chunk of this.#ui.end(errorText ?? 'The turn is over')) this.#add(chunk)
    this.#ending = { ...(finishReason && { finishReason }), ...(errorText !== undefined && { errorText }) }
    for (const reader of this.#readers) reader.close(this.#last())
    this.#readers.clear()
  }

  /** The whole turn from its beginning, and on. */
  read(): ReadableStream<Uint8Array> {
    return this.#open(0)
  }

  /** For whoever has just answered: what comes after the question. */
  readOn(): ReadableStream<Uint8Array> {
    return this.#open(this.#pausedAt)
  }

  #open(from: number): ReadableStream<Uint8Array> {
    const reader = openFrames(() => this.#readers.delete(reader))
    reader.catchUp(frameOf({ type: 'start', messageId: this.messageId }))
    for (const chunk of this.#told.slice(from)) reader.catchUp(frameOf(chunk))
    if (this.#isPaused) this.#pausedAt = this.#told.length
    if (this.#ending || this.#isPaused) reader.close(this.#last())
    else this.#readers.add(reader)
    return reader.bytes
  }

  #tell(chunks: Chunk[]): void {
    if (this.#ending) return
    for (const chunk of chunks) this.#add(chunk)
    if (this.#ui.isWaiting) this.#pause()
    else if (this.#ui.holdsBack) this.#patience ??= setTimeout(() => this.#showAll(), heldBackMs)
  }

  #showAll(): void {
    this.#patience = undefined
    this.#tell(this.#ui.showAll())
  }

  /** A chat client answers when the stream has ended: it ends here, and the turn goes on. */
  #pause(): void {
    if (this.#isPaused) return
    for (const chunk of this.#ui.pause()) this.#add(chunk)
    this.#isPaused = true
    this.#pausedAt = this.#told.length
    for (const reader of this.#readers) reader.close(this.#last())
    this.#readers.clear()
  }

  #add(chunk: Chunk): void {
    this.#builder.add(chunk)
    const last = this.#told.at(-1)
    const joined = last && this.#told.length > this.#pausedAt && join(last, chunk)
    if (joined) this.#told[this.#told.length - 1] = joined
    else this.#told.push(chunk)
    if (this.#readers.size > 0) this.#send(frameOf(chunk))
  }

  #send(frame: Uint8Array): void {
    for (const reader of this.#readers) reader.send(frame)
  }

  #last(): Uint8Array {
    const { errorText, finishReason = 'stop' } = this.#ending ?? {}
    if (errorText !== undefined) return lastFrame({ type: 'error', errorText })
    return lastFrame({ type: 'finish', finishReason: this.#ending ? finishReason : 'tool-calls' })
  }
}

function join(last: Chunk, next: Chunk): Chunk | undefined {
  if (last.type !== next.type || (next.type !== 'text-delta' && next.type !== 'reasoning-delta'))
    return undefined
  if (last['id'] !== next['id'] || Object.keys(next).length > 3) return undefined
  return { ...last, delta: `${String(last['delta'])}${String(next['delta'])}` }
}
