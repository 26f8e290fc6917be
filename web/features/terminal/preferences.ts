import { createStore } from '../../store.ts'
import type { Store } from '../../store.ts'

/** Kept in this browser. */
function preference(name: string, initial: boolean): Store<boolean> {
  const place = `signalbox.terminal.${name}`
  const stored = localStorage.getItem(place)
  const store = createStore(stored === null ? initial : stored === 'true')
  store.subscribe(() => localStorage.setItem(place, String(store.get())))
  return store
}

export const copyOnSelect = preference('copyOnSelect', true)
export const screenReader = preference('screenReader', false)
