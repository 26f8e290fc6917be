import type { Card } from '../../../src/contract/board-event.ts'
import type { TaskStatus } from '../../../src/contract/task.ts'
import { strings } from '../../strings/page.ts'
import type { Aspect } from '../../ui/signal.tsx'

/** A status as a signal, for menus. */
export const aspectOf: Record<TaskStatus, Aspect> = {
  todo: 'idle',
  in_progress: 'started',
  blocked: 'stopped',
  done: 'done',
  cancelled: 'off',
}

/** What a card shows while nothing moves on it: how the last turn ended where somebody is to look at it, else its column. */
export function signalAtRest({ status, work }: Pick<Card, 'status' | 'work'>): {
  aspect: Aspect
  word: string
} {
  if (status !== 'in_progress' || !work) return ofColumn[status]
  if (work.status === 'failed' || work.status === 'timed_out')
    return { aspect: 'stopped', word: strings.signal.failed }
  if (work.status === 'succeeded') return { aspect: 'done', word: strings.signal.ended }
  return ofColumn[status]
}

const ofColumn: Record<TaskStatus, { aspect: Aspect; word: string }> = {
  todo: { aspect: 'idle', word: strings.signal.idle },
  in_progress: { aspect: 'idle', word: strings.signal.idle },
  blocked: { aspect: 'stopped', word: strings.signal.blocked },
  done: { aspect: 'done', word: strings.signal.done },
  cancelled: { aspect: 'off', word: strings.signal.cancelled },
}
