import { createStore } from '../../store.ts'

/** The card whose "Move to…" is open. */
export const menuFor = createStore<string | null>(null)
