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

/** What a card shows: whether something moves on it. Nothing does before an agent works on it, whatever its column. */
export const cardSignal: Record<TaskStatus, { aspect: Aspect; word: string }> = {
  todo: { aspect: 'idle', word: strings.signal.idle },
  in_progress: { aspect: 'idle', word: strings.signal.idle },
  blocked: { aspect: 'stopped', word: strings.signal.blocked },
  done: { aspect: 'done', word: strings.signal.done },
  cancelled: { aspect: 'off', word: strings.signal.cancelled },
}
