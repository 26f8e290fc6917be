import type { SessionKey } from '../src/contract/access.ts'
import { createStore } from './store.ts'

const place = 'signalbox.session'

/** The key that this browser got for its token. Without one, the login page is shown in place of everything else. */
export const session = createStore<SessionKey | null>(read())

// Logging in or out in one tab is true for all of them.
window.addEventListener('storage', (event) => {
  if (event.key === place) session.set(read())
})

export function keepSession(key: SessionKey): void {
  localStorage.setItem(place, JSON.stringify(key))
  session.set(key)
}

export function dropSession(): void {
  localStorage.removeItem(place)
  session.set(null)
}

/** The token in the address (`#token=…`), which is taken out of the address bar and the history at once. */
export function takeTokenFromAddress(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) history.replaceState(history.state, '', location.pathname + location.search)
  return token
}

function read(): SessionKey | null {
  try {
    return JSON.parse(localStorage.getItem(place) ?? 'null') as SessionKey | null
  } catch {
    return null
  }
}
