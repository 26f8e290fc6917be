import { useSyncExternalStore } from 'react'

/** A value outside React that components can follow. */
export interface Store<Value> {
  get: () => Value
  set: (next: Value | ((current: Value) => Value)) => void
  subscribe: (listener: () => void) => () => void
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      const following = typeof next === 'function' ? (next as (current: Value) => Value)(value) : next
      if (Object.is(following, value)) return
      value = following
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useStore<Value, Part = Value>(store: Store<Value>, pick?: (value: Value) => Part): Part {
  const read = () => (pick ? pick(store.get()) : (store.get() as unknown as Part))
  return useSyncExternalStore(store.subscribe, read)
}
