import { setTimeout as wait } from 'node:timers/promises'
import { StatusChange } from '#contract/execution.ts'
import type { StoredEvent } from '#db/events.ts'
import { lastSeq } from '#db/events.ts'
import type { Database } from '#db/pool.ts'
import type { Follower } from '#events/follower.ts'
import { spokenOf } from '#events/spoken.ts'
import type { StreamReader } from '#events/streams.ts'
import { openFilter } from './filter.ts'
import type { Reader, Source } from './port.ts'

interface Parts {
  db: Database
  streams: Pick<StreamReader, 'follow'>
}

/** A viewer is shown the end of a long session; its page has all of it. */
const mostEvents = 3_000
const againMs = 500
const startOver = '\x1bc'

const plain = '\x1b[0m'
const [bold, dim, red, yellow, blue] = ['\x1b[1m', '\x1b[2m', '\x1b[31m', '\x1b[33m', '\x1b[34m']
const styles: Record<string, string> = {
  'data-message': bold + blue,
  'tool-input-available': bold,
  'tool-output-available': dim,
  'tool-output-error': red,
  'tool-output-denied': red,
  'tool-approval-request': yellow,
  'tool-approval-response': yellow,
  'data-notice': dim,
  'data-session': dim,
  'data-stall': dim,
  error: red,
}

/** A session to read: what was said, what was called, what came of it, as it is appended to the log. Nobody can type into it. */
export function openSessionView({ db, streams }: Parts, sessionId: string, reader: Reader): Source {
  const clean = openFilter({ onlyColours: true })
  let isClosed = false
  let going = Promise.withResolvers<void>()
  going.resolve()
  let follower: Follower | undefined
  let at = -1
  let isInLine = false

  const tell = (text: string) => void (!isClosed && reader.take(Buffer.from(text)))

  async function take(events: readonly StoredEvent[]): Promise<void> {
    for (const event of events) {
      await going.promise
      if (isClosed) return
      show(event)
      at = event.seq
    }
  }

  function show({ type, payload }: StoredEvent): void {
    if (type === 'data-status') return showStatus(payload)
    const said = spokenOf(type, payload)
    if (!said || said.bytes.length === 0) return
    const isWords = type === 'text-delta' || type === 'text-end' || type === 'data-terminal'
    // What is told between the words of an agent has lines of its own.
    const breaks = !isWords && isInLine ? '\r\n' : ''
    const text = clean(said.bytes).toString('latin1').replaceAll(/\r?\n/g, '\r\n')
    isInLine = isWords && !text.endsWith('\n')
    const [begin, end] = styles[type] ? [styles[type], plain] : ['', '']
    // One line after the other: what is cut off somewhere does not colour what follows.
    const styled = begin ? text.replaceAll(/[^\r\n]+/g, (line) => `${begin}${line}${end}`) : text
    if (!isClosed) reader.take(Buffer.from(`${breaks}${styled}`, 'latin1'))
  }

  function showStatus(payload: string): void {
    const { status, error, exitCode } = StatusChange.catch({ status: 'queued' }).parse(JSON.parse(payload))
    if (status === 'queued') return
    const why = error ? `: ${error}` : exitCode ? ` (exit code ${exitCode})` : ''
    const line = clean(Buffer.from(`── ${status.replaceAll('_', ' ')}${why} ──`))
    tell(`${isInLine ? '\r\n' : ''}${plain}${dim}`)
    reader.take(line)
    tell(`${plain}\r\n`)
    isInLine = false
  }

  async function follow(): Promise<void> {
    if (at === -1) {
      const end = (await lastSeq(db, sessionId)) ?? 0
      at = Math.max(0, end - mostEvents)
      if (at > 0) tell(`${dim}… what was said before is on the page of this session${plain}\r\n`)
    }
    follower = await streams.follow(sessionId, at, { take, ended: () => void again() })
    if (isClosed) follower.end()
  }

  /** Too slow, or the database was away: it goes on after what was shown last. */
  async function again(): Promise<void> {
    await wait(againMs, undefined, { ref: false })
    if (isClosed) return
    await follow().catch(() => again())
  }

  void follow().catch(() => again())
  return {
    write: () => true,
    resize: () => undefined,
    repaint() {
      tell(startOver)
      at = -1
      isInLine = false
      follower?.end() // it begins anew by itself
    },
    pause() {
      going = Promise.withResolvers()
    },
    resume: () => going.resolve(),
    close() {
      if (isClosed) return
      isClosed = true
      going.resolve()
      follower?.end()
    },
  }
}
