import type { StreamEvent } from '../src/contract/event.ts'
import { authorization, base } from './api.ts'
import { openLive } from './live.ts'
import type { LiveState } from './live.ts'
import { queryClient } from './query-client.ts'
import { dropSession } from './session.ts'
import { createStore } from './store.ts'

export const liveState = createStore<LiveState>('opening')

/** Follows the board stream for as long as someone is logged in. */
export function connect(onEvents: (events: StreamEvent[]) => void): () => void {
  const live = openLive({
    url: `${base}/sse/board`,
    headers: authorization,
    onEvents,
    onGap: () => void queryClient.invalidateQueries(),
    onRefused: dropSession,
    onState: (state) => {
      liveState.set(state)
      if (state === 'live') readAgainWhatFailed()
    },
  })
  const wakeWhenSeen = () => document.visibilityState === 'visible' && live.wake()
  window.addEventListener('online', live.wake)
  document.addEventListener('visibilitychange', wakeWhenSeen)
  return () => {
    window.removeEventListener('online', live.wake)
    document.removeEventListener('visibilitychange', wakeWhenSeen)
    live.close()
    liveState.set('opening')
  }
}

function readAgainWhatFailed(): void {
  void queryClient.refetchQueries({ predicate: (query) => query.state.status === 'error' })
}

/** Reading begins after the stream does, so that nothing can happen unseen between the two. */
export function streamIsOpen(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (liveState.get() === 'opening') return
      stop()
      resolve()
    }
    const stop = liveState.subscribe(look)
    look()
  })
}
