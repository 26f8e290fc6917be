import { useQueries, useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Capability } from '../../../src/contract/capability.ts'
import { api } from '../../api.ts'
import { roomApi } from '../../room-api.ts'

export interface Askable {
  agent: Agent
  /** What it can be asked for in words. */
  prompts: Capability[]
}

/** The agents that can be asked in words; undefined while they are being read. Commands cannot, and may be very many. */
export function useAskable(): Askable[] | undefined {
  const agents = useQuery({
    queryKey: ['agents'],
    queryFn: ({ signal }) => api.agents(signal),
  }).data?.filter(({ adapter }) => adapter !== 'template')
  const found = useQueries({
    queries: (agents ?? []).map(({ id }) => ({
      queryKey: ['capabilities', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => roomApi.capabilities(id, signal),
      staleTime: 10_000,
    })),
  })
  if (!agents || found.some(({ isPending }) => isPending)) return undefined
  const askable = agents.flatMap((agent, index) => {
    const prompts = found[index]?.data?.filter(({ interactionMode }) => interactionMode === 'prompt') ?? []
    return agent.active && prompts.length > 0 ? [{ agent, prompts }] : []
  })
  return askable.toSorted((one, other) => rank(one) - rank(other))
}

/** What somebody has added themselves is what they mean, sooner than what came along; the demo is for those who have nothing else. */
const rank = ({ agent }: Askable): number => (agent.preset === 'demo' ? 2 : agent.builtin ? 1 : 0)
