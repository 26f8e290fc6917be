import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight, Table2, TrainTrack } from 'lucide-react'
import { useState } from 'react'
import { strings } from '../../strings/page.ts'
import { trackStrings } from '../../strings/track.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Signal } from '../../ui/signal.tsx'
import { TrackList } from './track-list.tsx'
import { TrackTable } from './track-table.tsx'
import { useTracks, windowMs } from './use-tracks.ts'

const route = getRouteApi('/')

/** What all sessions did in the last half hour, live, or in any one before. */
export default function TracksPanel() {
  const { until } = route.useSearch()
  const { data, error, refetch, isPlaceholderData } = useTracks(until)
  const [isTable, setTable] = useState(false)
  const words = trackStrings
  const isLive = until === undefined
  return (
    <Panel
      title={words.heading}
      hint={isLive || !data ? words.lastMinutes : words.between(data.from, data.until)}
      aside={
        <>
          <Legend />
          <Times until={until} />
          <IconButton
            label={isTable ? words.asTracks : words.asTable}
            aria-pressed={isTable}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? <TrainTrack size={15} aria-hidden /> : <Table2 size={15} aria-hidden />}
          </IconButton>
        </>
      }
    >
      <div aria-busy={isPlaceholderData} className={isPlaceholderData ? 'opacity-60' : ''}>
        {!data && error && (
          <p className="flex items-center gap-3 px-3 py-6" role="alert">
            {words.failed}: {error.message}
            <Button onClick={() => void refetch()}>{strings.retry}</Button>
          </p>
        )}
        {data?.tracks.length === 0 && (
          <p className="px-3 py-10 text-center text-mute">{isLive ? words.quietNow : words.quietThen}</p>
        )}
        {data &&
          data.tracks.length > 0 &&
          (isTable ? <TrackTable shown={data} /> : <TrackList shown={data} isLive={isLive} />)}
        {data && data.tracks.length < data.total && (
          <p className="border-t border-line px-3 py-2 text-small text-mute">
            {words.more(data.total - data.tracks.length)}{' '}
            <Link to="/sessions" className="underline">
              {words.allSessions}
            </Link>
          </p>
        )}
      </div>
    </Panel>
  )
}

function Legend() {
  const { working, waits, queued, failed } = trackStrings.legend
  return (
    <span aria-hidden className="flex gap-3 pe-2 text-small text-soft max-lg:hidden">
      <Signal aspect="moving" word={working} />
      <Signal aspect="waits" word={waits} />
      <Signal aspect="queued" word={queued} />
      <Signal aspect="stopped" word={failed} />
    </span>
  )
}

function Times({ until }: { until: string | undefined }) {
  const navigate = useNavigate()
  const go = (moment: number | undefined) =>
    void navigate({
      to: '/',
      search: {
        until: moment === undefined || moment >= Date.now() ? undefined : new Date(moment).toISOString(),
      },
      replace: true,
    })
  const end = until === undefined ? undefined : Date.parse(until)
  return (
    <>
      {end !== undefined && <Button onClick={() => go(undefined)}>{trackStrings.now}</Button>}
      <IconButton label={trackStrings.earlier} onClick={() => go((end ?? Date.now()) - windowMs)}>
        <ChevronLeft size={16} aria-hidden />
      </IconButton>
      <IconButton
        label={trackStrings.later}
        disabled={end === undefined}
        className="disabled:opacity-40"
        onClick={() => end !== undefined && go(end + windowMs)}
      >
        <ChevronRight size={16} aria-hidden />
      </IconButton>
    </>
  )
}
