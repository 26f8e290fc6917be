import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { streamIsOpen } from '../../connection.ts'
import { queryClient } from '../../query-client.ts'
import { homeApi } from '../home/home-api.ts'
import { callsAfter, withAnswer } from './shown-tracks.ts'
import type { ShownTracks } from './shown-tracks.ts'

export const windowMs = 30 * 60_000
/** Calls of tools are not on the board's stream: what is new of them is read this often, while somebody looks. */
const callsEveryMs = 3000

const keyOf = (until: string | undefined) => ['tracks', until ?? 'now'] as const

/** What sessions did in the last half hour, or in the one before a moment. What is told by the board's stream is read at once. */
export function useTracks(until: string | undefined) {
  const isLive = until === undefined
  return useQuery({
    queryKey: keyOf(until),
    queryFn: ({ signal }) => read(until, signal),
    placeholderData: keepPreviousData,
    refetchOnMount: 'always',
    refetchOnWindowFocus: isLive ? 'always' : false,
    refetchInterval: ({ state: { data } }) => (isLive && data && isUnderWay(data) ? callsEveryMs : false),
  })
}

const isUnderWay = ({ tracks }: ShownTracks) => tracks.some(({ spans }) => spans.at(-1)?.to === null)

async function read(until: string | undefined, signal: AbortSignal): Promise<ShownTracks> {
  await streamIsOpen()
  const known = until === undefined ? queryClient.getQueryData<ShownTracks>(keyOf(until)) : undefined
  const after = callsAfter(known)
  const answer = await homeApi.tracks({ until, callsAfter: after }, signal)
  return withAnswer(known, answer, after, Date.now())
}
