import { session } from '../../session.ts'

/** Whether whoever is logged in may write in a session: with a model it takes `chat`, with every other agent `run`. */
export function maySpeak(isChat: boolean): boolean {
  const scopes = session.get()?.principal.scopes ?? []
  return scopes.includes('run') || (isChat && scopes.includes('chat'))
}
