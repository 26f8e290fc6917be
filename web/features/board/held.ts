import type { TaskStatus } from '../../../src/contract/task.ts'
import { createStore } from '../../store.ts'

/** The card in the hand, if any. */
export const held = createStore<{ id: string; from: TaskStatus } | null>(null)

export type Edge = 'top' | 'bottom'
