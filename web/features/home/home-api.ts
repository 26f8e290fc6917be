import type { Overview } from '../../../src/contract/overview.ts'
import type { Spend, SpendQuery } from '../../../src/contract/spend.ts'
import type { TrackQuery, Tracks } from '../../../src/contract/track.ts'
import { data, send } from '../../api.ts'

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()

export const homeApi = {
  overview: (signal: AbortSignal) => data(send<Overview>('GET', '/overview', { signal })),
  tracks: (query: Partial<TrackQuery>, signal: AbortSignal) =>
    data(send<Tracks>('GET', '/tracks', { query, signal })),
  spend: (query: Partial<SpendQuery>, signal: AbortSignal) =>
    data(send<Spend>('GET', '/usage/spend', { query: { timeZone, ...query }, signal })),
}
