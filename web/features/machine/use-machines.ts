import { useQuery } from '@tanstack/react-query'
import { roomApi } from '../../room-api.ts'

/** Machines tell of themselves every few seconds, and nowhere else: they are asked for while somebody looks. */
export function useMachines(everyMs = 5000) {
  return useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => roomApi.workers(signal),
    refetchInterval: everyMs,
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  })
}
