import type { StreamEvent } from '../../../src/contract/event.ts'
import type { Frame } from '../../../src/contract/sse-frame.ts'
import { Refusal, authorization, base, refusalOf } from '../../api.ts'
import { liveState } from '../../connection.ts'
import { followFrames } from '../../follow.ts'
import type { Following } from '../../follow.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { dropSession } from '../../session.ts'
import type { Store } from '../../store.ts'
import { executionsKey } from './executions-cache.ts'
import { KeptEvents } from './kept-events.ts'
import { Transcript } from './transcript.ts'
import type { Conversation } from './use-transcript.ts'

/** Enough to fill a screen, and little enough to be there at once. */
const firstPage = 300
/** The largest that is answered; further up more of them are read at a time, so that reading all of it stays quick. */
const page = 1000
const mostPages = 8
const theEnd = 999_999_999_999_999
const pauseMs = 1000
/** What is told of a session here alone. */
const changing = new Set(['data-takeover', 'data-edited', 'data-trashed', 'data-restored'])

/** Reads the newest of a session, then follows what comes, and reads what was before when somebody goes there. Answers with how to end it. */
export function followTranscript(sessionId: string, conversation: Store<Conversation>): () => void {
  let kept = new KeptEvents()
  let drawing = 0
  let pages = 1
  let isReading = false
  let following: Following | undefined
  const gone = new AbortController()
  const change = (part: Partial<Conversation>) => conversation.set((now) => ({ ...now, ...part }))
  // However much arrives, it is drawn at most once a frame. A hidden page has no frames, so there a timer does.
  const drawSoon = () => {
    drawing ||= window.setTimeout(() => {
      drawing = 0
      conversation.set((now) => ({ ...now, version: now.version + 1 }))
    }, 16)
  }
  const read = (before: number, limit: number) =>
    roomApi.sessionEvents(sessionId, { before, limit }, gone.signal)

  /** Says all of it anew: what came earlier can change what is made of what came later. */
  function tellAgain(more: Partial<Conversation> = {}): void {
    const transcript = new Transcript()
    for (const event of kept.all) transcript.take(event)
    conversation.set((now) => ({ ...now, version: now.version + 1, transcript, ...more }))
  }

  async function open(): Promise<void> {
    try {
      const events = await read(theEnd, firstPage)
      kept = new KeptEvents()
      for (const event of events) kept.add(event)
      tellAgain({ state: 'live', problem: null, earlier: kept.first > 1 ? 'some' : 'none' })
      following = follow()
    } catch (error) {
      if (gone.signal.aborted) return
      const isFinal = error instanceof Refusal && error.status >= 400 && error.status < 500
      if (isFinal) return change({ problem: error.message, state: 'ended' })
      change({ state: 'lost' })
      await pause()
      if (!gone.signal.aborted) await open()
    }
  }

  function follow(): Following {
    return followFrames({
      url: `${base}/sessions/${sessionId}/stream?after=0`,
      headers: authorization,
      resumeAfter: () => String(kept.last),
      onState: (state) => change({ state }),
      onFrames: (frames) => {
        for (const frame of frames) take(frame)
        if (frames.length > 0) drawSoon()
        if (kept.fullness > (isReading ? 4 : 1)) letGo()
      },
      onRefused: (answer) => {
        if (answer.status === 401) dropSession()
        // The stream is shorter than what we saw of it: the server was set back to an earlier day.
        if (answer.status === 422) void open()
        const isFinal = answer.status >= 400 && answer.status < 500
        if (isFinal && answer.status !== 422)
          void refusalOf(answer).then(({ message }) => change({ problem: message, state: 'ended' }))
        return isFinal
      },
    })
  }

  function take({ event, data }: Frame): void {
    if (event === 'ready') return
    const told = JSON.parse(data) as StreamEvent
    if (!kept.add(told)) return
    conversation.get().transcript.take(told)
    if (changing.has(told.type)) void queryClient.invalidateQueries({ queryKey: ['session', sessionId] })
    // Whoever may not read the board hears from here how a turn goes.
    if (told.type === 'data-status' && liveState.get() !== 'live')
      void queryClient.invalidateQueries({ queryKey: executionsKey({ sessionId }) })
  }

  function letGo(): void {
    kept.forget()
    pages = 1
    tellAgain({ earlier: 'some' })
  }

  async function readEarlier(): Promise<void> {
    const { earlier } = conversation.get()
    if (earlier !== 'some' && earlier !== 'failed') return
    change({ earlier: 'reading' })
    try {
      const read = await readPages(pages)
      if (gone.signal.aborted) return
      for (const events of read.pages) kept.addEarlier(events)
      pages = Math.min(mostPages, pages * 2)
      tellAgain({ earlier: read.isAll || kept.first <= 1 ? 'none' : 'some' })
    } catch {
      if (!gone.signal.aborted) change({ earlier: 'failed' })
    }
  }

  async function readPages(amount: number): Promise<{ pages: StreamEvent[][]; isAll: boolean }> {
    const found: StreamEvent[][] = []
    let before = kept.first
    for (let number = 0; number < amount && before > 1; number += 1) {
      const events = await read(before, page)
      const [first] = events
      if (!first) return { pages: found, isAll: true }
      found.push(events)
      before = first.seq
    }
    return { pages: found, isAll: before <= 1 }
  }

  let wake: (() => void) | undefined
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const stopWaking = liveState.subscribe(() => {
    if (liveState.get() !== 'live') return
    wake?.()
    following?.wake()
    if (conversation.get().earlier === 'failed') void readEarlier()
  })

  change({
    readEarlier: () => void readEarlier(),
    setReading: (now) => {
      isReading = now
    },
  })
  void open()
  return () => {
    gone.abort()
    wake?.()
    stopWaking()
    clearTimeout(drawing)
    following?.close()
  }
}
