import { Link } from '@tanstack/react-router'
import { clockTime, trackStrings } from '../../strings/track.ts'
import { Signal } from '../../ui/signal.tsx'
import type { ShownTrack, ShownTracks } from './shown-tracks.ts'
import { aspectOf, countsOf, sinceOf } from './track-words.ts'

const cell = 'px-3 py-1.5 font-normal'
const number = `${cell} text-end tabular-nums`
/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 }

/** The same in words and numbers. */
export function TrackTable({ shown: { tracks } }: { shown: ShownTracks }) {
  const words = trackStrings.columns
  return (
    <div {...reachable} className="max-h-[calc(100dvh-200px)] overflow-auto max-sm:max-h-[60dvh]">
      <table className="w-full text-start text-small">
        <thead className="sticky top-0 bg-panel text-mute">
          <tr>
            {[words.session, words.agent, words.state, words.since].map((name) => (
              <th key={name} scope="col" className={`${cell} text-start`}>
                {name}
              </th>
            ))}
            {[words.calls, words.asked, words.failures].map((name) => (
              <th key={name} scope="col" className={number}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tracks.map((track) => {
            const { calls, asked, failures } = countsOf(track)
            const since = sinceOf(track)
            return (
              <tr key={track.sessionId} data-track={track.sessionId} className="border-t border-line">
                <td className={`${cell} max-w-60 truncate`}>
                  <SessionLink track={track} />
                </td>
                <td className={cell}>
                  <bdi>{track.agentName}</bdi>
                </td>
                <td className={cell}>
                  <Signal aspect={aspectOf[track.state]} word={trackStrings.state[track.state]} />
                </td>
                <td className={`${cell} tabular-nums`}>{since !== undefined && clockTime(since)}</td>
                <td className={number}>{calls}</td>
                <td className={number}>{asked}</td>
                <td className={number}>{failures}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function SessionLink({ track: { sessionId, title } }: { track: ShownTrack }) {
  return (
    <Link
      to="/sessions/$id"
      params={{ id: sessionId }}
      className="underline decoration-edge underline-offset-2"
    >
      <bdi>{title}</bdi>
    </Link>
  )
}
