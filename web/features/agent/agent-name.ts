import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'

const prefix = 'agent:'

/** What the agent is called by which something was done (`agent:` and its id); nothing for people, and for agents that are gone. */
export function useAgentName(): (who: string) => string | undefined {
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) }).data ?? []
  return (who) =>
    who.startsWith(prefix) ? agents.find(({ id }) => id === who.slice(prefix.length))?.name : undefined
}
