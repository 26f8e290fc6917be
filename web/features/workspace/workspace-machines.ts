import { useQueries, useQuery } from '@tanstack/react-query'
import type { Archive } from '../../../src/contract/workspace.ts'
import { roomApi } from '../../room-api.ts'
import { workspaceApi } from './workspace-api.ts'

export const useMachines = () =>
  useQuery({ queryKey: ['workers'], queryFn: ({ signal }) => roomApi.workers(signal), staleTime: 10_000 })

export interface KeptArchive extends Archive {
  machineId: string
}

/** The archives of all machines that can be asked, newest first; undefined until all have answered. */
export function useArchives(): { data: KeptArchive[] | undefined; error: Error | null; refetch: () => void } {
  const machines = useMachines()
  const up = machines.data?.filter(({ state }) => state === 'up') ?? []
  const answers = useQueries({
    queries: up.map(({ machineId }) => ({
      queryKey: ['archives', machineId],
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<KeptArchive[]> =>
        (await workspaceApi.archives(machineId, signal)).map((archive) => ({ ...archive, machineId })),
      staleTime: 5_000,
    })),
  })
  const isWhole = machines.data !== undefined && answers.every(({ data }) => data !== undefined)
  return {
    data: isWhole
      ? answers
          .flatMap(({ data }) => data ?? [])
          .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))
      : undefined,
    error: machines.error ?? answers.find(({ error }) => error !== null)?.error ?? null,
    refetch: () => {
      void machines.refetch()
      for (const answer of answers) void answer.refetch()
    },
  }
}
