import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { SpendQuery } from '../../../src/contract/spend.ts'
import { streamIsOpen } from '../../connection.ts'
import { homeApi } from '../home/home-api.ts'

/** Read again whenever a turn ends. */
export function useSpend(by: SpendQuery['by'], days: number) {
  return useQuery({
    queryKey: ['spend', by, days],
    queryFn: async ({ signal }) => {
      await streamIsOpen()
      return homeApi.spend({ by, days }, signal)
    },
    placeholderData: keepPreviousData,
    // Midnight is told by nobody.
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
  })
}
