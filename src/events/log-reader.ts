import { isLive } from '#contract/execution.ts'
import type { ExecutionStatus, StatusChange } from '#contract/execution.ts'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { readChunkEnds, readOutput } from '#db/output.ts'
import type { OutputEvent } from '#db/output.ts'
import type { Database } from '#db/pool.ts'
import { CharacterJoiner, lookBack } from './characters.ts'
import { addTo, logEvent } from './log-chunks.ts'
import type { Piece } from './log-chunks.ts'
import type { Reader } from './reader.ts'
import { spokenOf, spokenTypes } from './spoken.ts'
import { heartbeat } from './sse.ts'
import type { Batch, Tail } from './tail.ts'

interface LogReaderOptions {
  db: Database
  tail: Tail
  /** Where the tail was before the execution was read: what the row does not tell yet comes after it. */
  found: number
  execution: ExecutionRow
  after: number
  whose: string | undefined
  until: Date | undefined
}

const mostUnread = 524_288
const read = [...spokenTypes, 'data-status']

/**
 * One reader of one execution's log. Whoever is slow is not sent away: it goes back to reading pages, at its own pace,
 * and joins the tail again when it has caught up.
 */
export function openLogReader(
  { db, execution, tail, found, after, whose, until }: LogReaderOptions,
  gone: () => void,
): Reader {
  const place = { sessionId: execution.sessionId, executionId: execution.id }
  const joiner = new CharacterJoiner()
  const opened = execution.lastSeq ?? found
  let at = Math.max(after, execution.firstSeq - 1)
  let end = isLive(execution.status) ? undefined : opened
  let told: ExecutionStatus = execution.status
  let primed = false
  let live = false
  let ended = false
  let controller: ReadableStreamDefaultController<Uint8Array>

  function leave(): void {
    if (ended) return
    ended = true
    leaveTail()
    gone()
  }

  function close(): void {
    if (ended) return
    leave()
    controller.close()
  }

  /** What comes again after the database was away is resumed; what would fail again is told. */
  function fail(error: unknown): void {
    if (ended) return
    if (!isDatabaseAway(error))
      controller.enqueue(logEvent('error', { message: 'The log cannot be read any further' }))
    close()
  }

  function leaveTail(): void {
    live = false
    tail.subscribers.delete(onBatch)
  }

  function onBatch({ events }: Batch): void {
    // Whoever reads on asks for more, and gets it from the table.
    if ((controller.desiredSize ?? 0) <= 0) return leaveTail()
    const fresh = events.filter((event) => event.seq > at && event.executionId === execution.id)
    at = Math.max(at, events.at(-1)?.seq ?? at)
    try {
      tell(fresh)
    } catch (error) {
      return fail(error)
    }
    if (end === undefined) return
    tail.subscribers.delete(onBatch)
    finish().catch(fail)
  }

  function send({ seq, stream, content }: Pick<Piece, 'seq' | 'stream' | 'content'>): void {
    controller.enqueue(logEvent(seq <= opened ? 'catchup' : 'log', { content, stream }, seq))
  }

  /** Hands over what these events say, joined to as few pieces as may be. */
  function tell(events: readonly OutputEvent[]): void {
    const pieces: Piece[] = []
    for (const { seq, type, payload } of events)
      if (type === 'data-status') {
        pieces.splice(0).forEach(send)
        changeStatus(seq, JSON.parse(payload))
      } else {
        const spoken = spokenOf(type, payload)
        if (!spoken) continue
        const { stream, bytes } = spoken
        const content = joiner.take(stream, bytes)
        if (content) addTo(pieces, { seq, stream, content, size: bytes.length })
      }
    pieces.forEach(send)
  }

  function changeStatus(seq: number, { status }: StatusChange): void {
    if (isLive(status) ? seq <= opened : status === told) return
    if (!isLive(status)) end = seq
    // The last one names no place: what comes after it is at the same one.
    if (status !== told) controller.enqueue(logEvent('status', { status }, isLive(status) ? seq : undefined))
    told = status
  }

  /** Resumes in the middle of a character exactly where the reader was cut off. */
  async function prime(): Promise<void> {
    primed = true
    if (after === 0 || (end !== undefined && at >= end)) return
    for (const { stream, end: bytes } of await readChunkEnds(db, place, at, lookBack))
      joiner.take(stream, Buffer.from(bytes, 'base64'))
  }

  async function readOn(): Promise<void> {
    if (!primed) await prime()
    while (!live && !ended) {
      if (end !== undefined && at >= end) return finish()
      const known = end ?? tail.at
      if (at >= known) {
        // No await between the look at the tail and joining it: nothing can slip through.
        live = true
        tail.subscribers.add(onBatch)
        return
      }
      const page = await readOutput(db, place, at, known, read)
      if (ended) return
      at = page.at(-1)?.seq ?? known
      const before = controller.desiredSize
      tell(page)
      if (controller.desiredSize !== before) return
    }
  }

  async function finish(): Promise<void> {
    const rest = joiner.rest()
    if (rest) send({ seq: at, ...rest })
    const last = await findExecution(db, execution.id)
    if (ended) return
    if (!last || last.outputRemovedAt)
      controller.enqueue(logEvent('error', { message: 'The output was removed while it was read' }))
    else {
      const { status, exitCode, error } = last
      controller.enqueue(logEvent('done', { status, exitCode, error }, at))
    }
    close()
  }

  const bytes = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
        controller.enqueue(logEvent('status', { status: told }))
      },
      pull: () => (live ? undefined : readOn().catch(fail)),
      cancel: leave,
    },
    { highWaterMark: mostUnread, size: (chunk) => chunk.byteLength },
  )
  return {
    whose,
    bytes,
    beat: () => {
      if (until && Date.now() >= until.getTime()) close()
      else if (!ended && (controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat)
    },
    end: close,
  }
}
