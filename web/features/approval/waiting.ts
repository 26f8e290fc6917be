import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { streamIsOpen } from '../../connection.ts'
import { stillWaiting, waitingKey } from './waiting-cache.ts'
import type { Waiting } from './waiting-cache.ts'

export function useWaiting() {
  return useQuery({ queryKey: waitingKey, queryFn: ({ signal }) => readWaiting(signal) })
}

async function readWaiting(signal: AbortSignal): Promise<Waiting> {
  await streamIsOpen()
  const { data, meta } = await api.waiting(signal)
  return stillWaiting({ rows: data, total: meta.total })
}
