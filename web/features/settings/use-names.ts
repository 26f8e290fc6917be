import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { auditStrings as words } from '../../strings/audit.ts'
import { settingsApi } from './settings-api.ts'

/** Who somebody is, by the id that the audit has: the owner, a user, an agent, or a part of Signalbox itself. */
export function useNames(): (actor: string) => string {
  const me = useStore(session, (key) => key?.principal)
  const users = useQuery({
    queryKey: ['users'],
    queryFn: ({ signal }) => settingsApi.users(signal),
    enabled: me?.kind === 'owner',
    staleTime: 30_000,
  })
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) })
  return (actor) => {
    if (actor === me?.id) return me.name
    if (actor === 'owner') return words.who.owner
    if (actor === 'janitor') return words.who.janitor
    if (actor.startsWith('agent:'))
      return agents.data?.find(({ id }) => `agent:${id}` === actor)?.name ?? words.agent
    const user = users.data?.find(({ id }) => id === actor)
    if (user) return user.name
    // A keeper notes what an agent did by itself, under an id of its own.
    return /^[\da-f-]{36}$/.test(actor) ? words.who.worker : actor
  }
}
