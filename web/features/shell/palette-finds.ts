import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import type { Task } from '../../../src/contract/task.ts'
import type { Workspace } from '../../../src/contract/workspace.ts'
import { api } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { toolApi } from '../tool/tool-api.ts'
import { bestFitting } from './best-fitting.ts'

export interface Finds {
  tasks: readonly Task[]
  sessions: readonly Session[]
  agents: readonly Agent[]
  workspaces: readonly Workspace[]
  /** By name, with what it says of itself. */
  tools: readonly { name: string; description: string }[]
}

const nothing: Finds = { tasks: [], sessions: [], agents: [], workspaces: [], tools: [] }
const shown = 6
/** What is looked through here; tasks may be very many, and are looked through by the server. */
const read = { staleTime: 10_000, retry: false } as const

/** Those are found by their sessions. */
const isNoWorktree = ({ parentId }: Workspace): boolean => parentId === null

/** Everything that has these words in its name. What a person may not see is not found, and that is not said. */
export function useFinds(wanted: string): Finds {
  const enabled = wanted !== ''
  const tasks = useQuery({
    queryKey: ['find', wanted],
    queryFn: ({ signal }) => api.tasks({ q: wanted.slice(0, 200), pageSize: 12 }, signal),
    enabled,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  }).data?.data
  const sessions = useQuery({
    queryKey: ['find', 'sessions'],
    queryFn: async ({ signal }) => (await roomApi.sessions({ pageSize: 200 }, signal)).data,
    enabled,
    ...read,
  }).data
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal), enabled }).data
  const workspaces = useQuery({
    queryKey: ['find', 'workspaces'],
    queryFn: ({ signal }) => roomApi.workspaces({ pageSize: 200 }, signal),
    enabled,
    ...read,
  }).data
  const tools = useQuery({
    queryKey: ['find', 'tools'],
    queryFn: async ({ signal }) =>
      Object.values((await toolApi.tools(signal)).namespaces).flatMap((namespace) => namespace.tools),
    enabled,
    ...read,
  }).data
  if (!enabled) return nothing
  return {
    tasks: tasks ?? [],
    sessions: bestFitting(sessions, wanted, ({ title }) => title).slice(0, shown),
    agents: bestFitting(agents, wanted, ({ name }) => name).slice(0, shown),
    workspaces: bestFitting(
      workspaces?.filter(isNoWorktree),
      wanted,
      ({ name, root }) => `${name} ${root}`,
    ).slice(0, shown),
    tools: bestFitting(tools, wanted, ({ name }) => name).slice(0, shown),
  }
}
