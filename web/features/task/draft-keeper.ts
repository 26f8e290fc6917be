import { createStore } from '../../store.ts'
import type { Store } from '../../store.ts'
import { begin, hear, keepMine, takeTheirs } from './draft.ts'
import type { Draft } from './draft.ts'

export interface DraftState extends Draft {
  phase: 'saved' | 'unsaved' | 'saving' | 'failed'
  problem: string | null
  /** What is shown was written earlier, in a page that ended before it could be saved. */
  wasRestored: boolean
}

interface Options {
  /** Where the text is kept until the server has it. */
  place: string
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  value: string
  /** As the server will store it; null for a text that it would not take. */
  clean: (text: string) => string | null
  save: (text: string, isLeaving: boolean) => Promise<void>
  /** The same text would be refused again. */
  isFinal?: (error: unknown) => boolean
  pauseMs?: number
  retryMs?: number
}

export interface DraftKeeper {
  state: Store<DraftState>
  write: (text: string) => void
  hear: (value: string) => void
  keepMine: () => void
  takeTheirs: () => void
  /** Saves now what is not saved yet. */
  flush: (isLeaving?: boolean) => void
}

/** Saves a text as it is written, and lets go of no letter before the server has it. */
export function keepDraft(options: Options): DraftKeeper {
  const { place, storage, clean, save, isFinal = () => false, pauseMs = 600, retryMs = 3000 } = options
  const kept = readKept()
  const state = createStore<DraftState>({
    ...begin(options.value, kept),
    phase: 'saved',
    problem: null,
    wasRestored: kept !== null && kept.text !== options.value,
  })
  let sent: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  if (kept) settle(state.get())

  return {
    state,
    write: (text) => settle({ ...state.get(), text, wasRestored: false }),
    hear: (value) => settle({ ...state.get(), ...hear(state.get(), value, sent) }),
    keepMine: () => settle({ ...state.get(), ...keepMine(state.get()) }),
    takeTheirs: () => settle({ ...state.get(), ...takeTheirs(state.get()) }),
    flush: (isLeaving = false) => void send(isLeaving),
  }

  function settle(next: DraftState): void {
    const isDirty = (clean(next.text) ?? next.text) !== next.base
    if (isDirty) storage.setItem(place, JSON.stringify({ base: next.base, text: next.text }))
    else storage.removeItem(place)
    const phase = isDirty ? (sent === null ? 'unsaved' : 'saving') : 'saved'
    state.set({ ...next, phase, problem: null })
    if (isDirty && next.theirs === null) sendAfter(pauseMs)
  }

  function sendAfter(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void send(false), ms)
  }

  async function send(isLeaving: boolean): Promise<void> {
    clearTimeout(timer)
    const now = state.get()
    const text = clean(now.text)
    if (text === null || text === now.base || now.theirs !== null || (sent !== null && !isLeaving)) return
    sent = text
    state.set({ ...now, phase: 'saving' })
    try {
      await save(text, isLeaving)
      sent = null
      settle({ ...state.get(), base: text })
    } catch (error) {
      sent = null
      const problem = error instanceof Error ? error.message : String(error)
      state.set({ ...state.get(), phase: 'failed', problem })
      if (!isFinal(error)) sendAfter(retryMs)
    }
  }

  function readKept(): { base: string; text: string } | null {
    try {
      return JSON.parse(storage.getItem(place) ?? 'null') as { base: string; text: string } | null
    } catch {
      return null
    }
  }
}
