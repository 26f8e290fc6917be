import { useEffect, useMemo } from 'react'
import { createStore, useStore } from '../../store.ts'
import type { Store } from '../../store.ts'
import type { Comment } from './comments.ts'

const placeOf = (sessionId: string): string => `signalbox.comments.${sessionId}`
const stores = new Map<string, Store<readonly Comment[]>>()

function storeOf(sessionId: string): Store<readonly Comment[]> {
  const known = stores.get(sessionId) ?? createStore(read(sessionId))
  stores.set(sessionId, known)
  return known
}

function read(sessionId: string): readonly Comment[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(sessionId)) ?? '[]')
    return Array.isArray(kept) ? (kept as Comment[]) : []
  } catch {
    return []
  }
}

function write(sessionId: string, comments: readonly Comment[]): void {
  storeOf(sessionId).set(comments)
  if (comments.length === 0) localStorage.removeItem(placeOf(sessionId))
  else localStorage.setItem(placeOf(sessionId), JSON.stringify(comments))
}

export interface Comments {
  all: readonly Comment[]
  open: (comment: Omit<Comment, 'id' | 'text' | 'isOpen'>) => void
  change: (id: string, part: Partial<Comment>) => void
  drop: (...ids: string[]) => void
  putBack: (comments: readonly Comment[]) => void
}

/** What was written about a session's changes and not sent yet. It is kept in this browser until it is sent. */
export function useComments(sessionId: string): Comments {
  const store = storeOf(sessionId)
  useEffect(() => {
    // Of two tabs the one that is written in is right.
    const hear = (event: StorageEvent) => event.key === placeOf(sessionId) && store.set(read(sessionId))
    window.addEventListener('storage', hear)
    return () => window.removeEventListener('storage', hear)
  }, [sessionId, store])
  const all = useStore(store)
  return useMemo(
    () => ({
      all,
      open: (comment) =>
        write(sessionId, [...store.get(), { ...comment, id: crypto.randomUUID(), text: '', isOpen: true }]),
      change: (id, part) =>
        write(
          sessionId,
          store.get().map((each) => (each.id === id ? { ...each, ...part } : each)),
        ),
      drop: (...ids) =>
        write(
          sessionId,
          store.get().filter(({ id }) => !ids.includes(id)),
        ),
      putBack: (comments) => write(sessionId, [...store.get(), ...comments]),
    }),
    [all, sessionId, store],
  )
}
