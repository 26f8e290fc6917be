import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { streamIsOpen } from '../../connection.ts'
import { queryClient } from '../../query-client.ts'
import { withPage, withTold } from './execution-list.ts'
import type { ExecutionFilter, Executions } from './execution-list.ts'
import { executionsKey, startListening } from './executions-cache.ts'

const pageSize = 100

export function useExecutions(filter: ExecutionFilter) {
  return useQuery({
    queryKey: executionsKey(filter),
    queryFn: ({ signal }) => readExecutions(filter, signal),
    structuralSharing: false,
  })
}

/** Reads as many as are shown already, so that nobody's place in a long list is lost. */
async function readExecutions(filter: ExecutionFilter, signal: AbortSignal): Promise<Executions> {
  await streamIsOpen()
  const toldMeanwhile = startListening()
  const wanted = queryClient.getQueryData<Executions>(executionsKey(filter))?.rows.length ?? 0
  let read: Executions = { rows: [], total: 0 }
  for (let page = 1; page === 1 || (page - 1) * pageSize < Math.min(wanted, read.total); page += 1) {
    const { data, meta } = await api.executions({ ...filter, page, pageSize }, signal)
    read = withPage(read, data, meta.total)
  }
  return withTold(read, toldMeanwhile(), filter)
}

const underWay = new Set<string>()

/** Reads the page after those that are there. */
export async function readMoreExecutions(filter: ExecutionFilter): Promise<void> {
  const key = executionsKey(filter)
  const mark = JSON.stringify(filter)
  const now = queryClient.getQueryData<Executions>(key)
  if (!now || now.rows.length >= now.total || underWay.has(mark)) return
  underWay.add(mark)
  try {
    const toldMeanwhile = startListening()
    const page = Math.floor(now.rows.length / pageSize) + 1
    const { data, meta } = await api.executions({ ...filter, page, pageSize })
    queryClient.setQueryData<Executions>(
      key,
      (latest) => latest && withTold(withPage(latest, data, meta.total), toldMeanwhile(), filter),
    )
  } finally {
    underWay.delete(mark)
  }
}
