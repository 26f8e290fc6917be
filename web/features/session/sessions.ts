import { useQuery } from '@tanstack/react-query'
import type { Session } from '../../../src/contract/session.ts'
import { streamIsOpen } from '../../connection.ts'
import { queryClient } from '../../query-client.ts'
import { roomApi } from '../../room-api.ts'
import { sessionsKey } from './executions-cache.ts'

const pageSize = 100

/** Those first in which something happened last; `total` counts also those that have not been read yet. */
export interface Sessions {
  rows: readonly Session[]
  total: number
}

/** Read anew whenever something happens in one of them. */
export function useSessions() {
  return useQuery({ queryKey: sessionsKey, queryFn: ({ signal }) => readSessions(0, signal) })
}

/** Reads as many as are shown already, so that nobody's place in a long list is lost, and so many more. */
async function readSessions(more: number, signal?: AbortSignal): Promise<Sessions> {
  await streamIsOpen()
  const wanted = (queryClient.getQueryData<Sessions>(sessionsKey)?.rows.length ?? 0) + more
  const rows = new Map<string, Session>()
  let total = 0
  for (let page = 1; page === 1 || (page - 1) * pageSize < Math.min(wanted, total); page += 1) {
    const { data, meta } = await roomApi.sessions({ page, pageSize }, signal)
    // One that was opened meanwhile moves all others down: they may come twice.
    for (const session of data) rows.set(session.id, session)
    total = meta.total
  }
  return { rows: [...rows.values()], total: Math.max(total, rows.size) }
}

/** Reads the page after those that are there. */
export async function readMoreSessions(): Promise<void> {
  if (queryClient.isFetching({ queryKey: sessionsKey }) > 0) return
  await queryClient.fetchQuery({ queryKey: sessionsKey, queryFn: () => readSessions(1), staleTime: 0 })
}
