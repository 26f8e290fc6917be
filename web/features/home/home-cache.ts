import type { StreamEvent } from '../../../src/contract/event.ts'
import { queryClient } from '../../query-client.ts'

/** Read a few times a second at most, and the last time after all that happened. */
const pauseMs = 700
let timer = 0
let lastAt = 0
let isSpent = false

/** What Home shows is read again when something happens in sessions: at once, if nothing happened just before. */
export function takeIntoHome(events: readonly StreamEvent[]): void {
  const moved = events.filter(({ type }) => type.startsWith('execution.') || type.startsWith('approval.'))
  if (moved.length === 0) return
  isSpent ||= moved.some(({ type }) => type === 'execution.completed')
  timer ||= window.setTimeout(readAgain, Math.max(60, lastAt + pauseMs - Date.now()))
}

function readAgain(): void {
  timer = 0
  lastAt = Date.now()
  for (const key of isSpent ? ['tracks', 'overview', 'spend'] : ['tracks', 'overview'])
    void queryClient.invalidateQueries({ queryKey: [key] })
  isSpent = false
}
