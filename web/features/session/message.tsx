import { roomStrings } from '../../room-strings.ts'
import { session } from '../../session.ts'
import { useAgentName } from '../agent/agent-name.ts'
import type { MessageRow } from './transcript-row.ts'

/** What a person said, or the agent that started this one, and what became of it. */
export function Message({ row: { text, files, by, imported, delivery } }: { row: MessageRow }) {
  const words = roomStrings.transcript
  const agent = useAgentName()(by ?? '')
  const told =
    delivery &&
    (typeof delivery === 'string' ? words.delivery[delivery] : words.delivery.refused(delivery.refused))
  return (
    <div className="flex flex-col items-end gap-1 ps-[12%]">
      <div className="max-w-full rounded-panel border border-line bg-raise px-3 py-2">
        {agent ? (
          <bdi className="text-small text-mute">{agent}</bdi>
        ) : (
          <span className="sr-only">{whoIs(by)}: </span>
        )}
        <p dir="auto" className="max-h-100 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
          {text}
        </p>
        {files.map(({ name, mediaType, url }) => (
          <p key={url.slice(0, 200)} className="text-small text-mute">
            <bdi>{words.file(name ?? (url.startsWith('data:') ? '' : url), mediaType)}</bdi>
          </p>
        ))}
      </div>
      {(told || imported) && (
        <span
          data-delivery={typeof delivery === 'object' ? 'refused' : delivery}
          className={`text-small ${typeof delivery === 'object' ? 'text-stop' : 'text-mute'}`}
        >
          {told ?? words.imported}
        </span>
      )}
    </div>
  )
}

function whoIs(by: string | null): string {
  const words = roomStrings.transcript
  if (by === session.get()?.principal.id) return words.you
  return by === 'owner' ? words.owner : words.person
}
