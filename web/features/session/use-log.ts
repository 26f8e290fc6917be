import { useEffect, useState } from 'react'
import type { LogEvents, LogStream } from '../../../src/contract/execution.ts'
import type { Frame } from '../../../src/contract/sse-frame.ts'
import { authorization, base, refusalOf } from '../../api.ts'
import { liveState } from '../../connection.ts'
import { followFrames } from '../../follow.ts'
import { dropSession } from '../../session.ts'
import { createStore, useStore } from '../../store.ts'
import type { Store } from '../../store.ts'
import { createLogText } from './log-text.ts'
import type { LogText } from './log-text.ts'

export interface Log {
  text: LogText
  /** Grows with everything that is written. */
  version: number
  state: 'opening' | 'live' | 'lost' | 'ended'
  /** Why it cannot be shown (any further). */
  problem: string | null
}

/** What an execution writes, from its beginning, for as long as it is looked at. */
export function useLog(executionId: string): Log {
  const [log] = useState(() => createStore<Log>(emptyLog()))
  useEffect(() => {
    log.set(emptyLog())
    return followLog(executionId, log)
  }, [executionId, log])
  return useStore(log)
}

const emptyLog = (): Log => ({ text: createLogText(), version: 0, state: 'opening', problem: null })

function followLog(executionId: string, log: Store<Log>): () => void {
  const { text } = log.get()
  let lastId: string | undefined
  let drawing = 0
  const change = (part: Partial<Log>) => log.set((now) => ({ ...now, ...part }))
  // However much arrives, it is drawn at most once a frame. A hidden page has no frames, so there a timer does.
  const drawSoon = () => {
    drawing ||= window.setTimeout(() => {
      drawing = 0
      log.set((now) => ({ ...now, version: now.version + 1 }))
    }, 16)
  }
  const take = ({ id, event, data }: Frame) => {
    const told = JSON.parse(data) as LogEvents[keyof LogEvents] & { stream?: LogStream }
    if ('content' in told) text.append(told.content, told.stream ?? 'stdout')
    if (event === 'error') change({ problem: (told as LogEvents['error']).message, state: 'ended' })
    if (event === 'done') change({ state: 'ended' })
    if (event === 'done' || event === 'error') following.close()
    lastId = id ?? lastId
  }
  const following = followFrames({
    url: `${base}/executions/${executionId}/logs/stream`,
    headers: authorization,
    resumeAfter: () => lastId,
    onState: (state) => change({ state }),
    onFrames: (frames) => {
      for (const frame of frames) take(frame)
      if (frames.length > 0) drawSoon()
    },
    onRefused: (answer) => {
      if (answer.status === 401) dropSession()
      const isFinal = answer.status >= 400 && answer.status < 500
      if (isFinal) void refusalOf(answer).then(({ message }) => change({ problem: message, state: 'ended' }))
      return isFinal
    },
  })
  const stopWaking = liveState.subscribe(() => liveState.get() === 'live' && following.wake())
  return () => {
    stopWaking()
    clearTimeout(drawing)
    following.close()
  }
}
