import { useEffect, useState } from 'react'

const placeOf = (sessionId: string): string => `signalbox.draft.session.${sessionId}`

/** Keeps what could not be sent for the next try. */
export function keepDraft(sessionId: string, text: string): void {
  localStorage.setItem(placeOf(sessionId), text)
}

/** What was written for an agent and not sent yet. It is kept in this browser until it is sent. */
export function useSessionDraft(sessionId: string): [text: string, write: (text: string) => void] {
  const place = placeOf(sessionId)
  const [text, setText] = useState(() => localStorage.getItem(place) ?? '')
  useEffect(() => {
    // Of two tabs the one that is written in is right.
    const hear = (event: StorageEvent) => event.key === place && setText(event.newValue ?? '')
    window.addEventListener('storage', hear)
    return () => window.removeEventListener('storage', hear)
  }, [place])
  const write = (next: string) => {
    setText(next)
    if (next === '') localStorage.removeItem(place)
    else localStorage.setItem(place, next)
  }
  return [text, write]
}
