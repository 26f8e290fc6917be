import { session } from './session.ts'

/** What an issuer sent along with a browser that it sent here; taken out of the address bar and the history at once. */
let brought = new URLSearchParams(location.hash.slice(1)).get('back')
if (brought !== null) history.replaceState(history.state, '', location.pathname + location.search)

/**
 * Whether they were sent here while nobody was logged in. What they brought is forgotten then: whoever logs in next need not be the one
 * who was at the issuer.
 */
export const cameAsStranger = brought !== null && session.get() === null
if (cameAsStranger) brought = null

/** It is good for one use. */
export function takeWayBack(): string | null {
  const taken = brought
  brought = null
  return taken
}
