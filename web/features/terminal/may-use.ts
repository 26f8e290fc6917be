import { session } from '../../session.ts'
import { useStore } from '../../store.ts'

/** Whoever types into a terminal can do what its machine's owner can: nobody else is even shown one. */
export const useMayUseTerminal = (): boolean =>
  useStore(session, (key) => key?.principal.kind === 'owner' && key.principal.scopes.includes('terminal'))
