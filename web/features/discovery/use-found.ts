import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import type { FoundProgram } from '../../../src/contract/discovery.ts'
import { discoveryApi } from './discovery-api.ts'
import { queryOf } from './found-filter.ts'
import type { FoundFilter } from './found-filter.ts'

export const foundKey = ['discovery']
const pageSize = 100
/** As many as can be confirmed at a time. */
export const mostChosen = 500

const pageOf = (filter: FoundFilter, page: number) => ({
  queryKey: [...foundKey, queryOf(filter), page],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    discoveryApi.found({ ...queryOf(filter), page, pageSize }, signal),
})

export interface Found {
  /** Undefined before the first answer. */
  total: number | undefined
  /** Undefined where it has not been read yet. */
  at: (index: number) => FoundProgram | undefined
  /** What is shown is still of the filter before. */
  isOld: boolean
  error: Error | null
  refetch: () => void
}

/** The programs that fit, of which only the pages in sight are read, however many there are. */
export function useFound(filter: FoundFilter, first: number, last: number): Found {
  const start = useQuery({ ...pageOf(filter, 1), placeholderData: keepPreviousData })
  const inSight = pagesBetween(first, last)
  const others = useQueries({ queries: inSight.map((page) => pageOf(filter, page)) })
  const pages = new Map(inSight.map((page, index) => [page, others[index]?.data?.data]))
  pages.set(1, start.data?.data)
  return {
    total: start.data?.meta.total,
    at: (index) => pages.get(Math.floor(index / pageSize) + 1)?.[index % pageSize],
    isOld: start.isPlaceholderData,
    error: start.error,
    refetch: () => void start.refetch(),
  }
}

function pagesBetween(first: number, last: number): number[] {
  const [from, to] = [first, last].map((index) => Math.floor(index / pageSize) + 1) as [number, number]
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index).filter(
    (page) => page > 1,
  )
}

/** All that fit, up to what can be confirmed at a time. */
export const readToChoose = async (filter: FoundFilter) =>
  discoveryApi.found({ ...queryOf(filter), page: 1, pageSize: mostChosen })
