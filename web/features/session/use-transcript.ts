import { useEffect, useState } from 'react'
import type { StreamEvent } from '../../../src/contract/event.ts'
import type { Frame } from '../../../src/contract/sse-frame.ts'
import { authorization, base, refusalOf } from '../../api.ts'
import { liveState } from '../../connection.ts'
import { followFrames } from '../../follow.ts'
import { queryClient } from '../../query-client.ts'
import { dropSession } from '../../session.ts'
import { createStore, useStore } from '../../store.ts'
import type { Store } from '../../store.ts'
import { Transcript } from './transcript.ts'

export interface Conversation {
  transcript: Transcript
  /** Grows with everything that is said. */
  version: number
  state: 'opening' | 'live' | 'lost' | 'ended'
  /** Why it cannot be shown (any further). */
  problem: string | null
}

/** What is said in a session, from its beginning, for as long as it is looked at. */
export function useTranscript(sessionId: string): Conversation {
  const [conversation] = useState(() => createStore<Conversation>(empty()))
  useEffect(() => {
    conversation.set(empty())
    return follow(sessionId, conversation)
  }, [sessionId, conversation])
  return useStore(conversation)
}

const empty = (): Conversation => ({
  transcript: new Transcript(),
  version: 0,
  state: 'opening',
  problem: null,
})

function follow(sessionId: string, conversation: Store<Conversation>): () => void {
  let lastSeq = 0
  let drawing = 0
  const change = (part: Partial<Conversation>) => conversation.set((now) => ({ ...now, ...part }))
  // However much arrives, it is drawn at most once a frame. A hidden page has no frames, so there a timer does.
  const drawSoon = () => {
    drawing ||= window.setTimeout(() => {
      drawing = 0
      conversation.set((now) => ({ ...now, version: now.version + 1 }))
    }, 16)
  }
  const take = ({ event, data }: Frame) => {
    if (event === 'ready') return
    const told = JSON.parse(data) as StreamEvent
    if (told.seq <= lastSeq) return
    lastSeq = told.seq
    conversation.get().transcript.take(told)
    if (told.type === 'data-takeover')
      void queryClient.invalidateQueries({ queryKey: ['session', sessionId] })
  }
  const following = followFrames({
    url: `${base}/sessions/${sessionId}/stream?after=0`,
    headers: authorization,
    resumeAfter: () => (lastSeq === 0 ? undefined : String(lastSeq)),
    onState: (state) => change({ state }),
    onFrames: (frames) => {
      for (const frame of frames) take(frame)
      if (frames.length > 0) drawSoon()
    },
    onRefused: (answer) => {
      if (answer.status === 401) dropSession()
      if (answer.status === 422) return startOver()
      const isFinal = answer.status >= 400 && answer.status < 500
      if (isFinal) void refusalOf(answer).then(({ message }) => change({ problem: message, state: 'ended' }))
      return isFinal
    },
  })
  /** The stream is shorter than what we saw of it: the server was set back to an earlier day. */
  function startOver(): false {
    lastSeq = 0
    change({ transcript: new Transcript() })
    return false
  }
  const stopWaking = liveState.subscribe(() => liveState.get() === 'live' && following.wake())
  return () => {
    stopWaking()
    clearTimeout(drawing)
    following.close()
  }
}
