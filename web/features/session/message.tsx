import { Pencil } from 'lucide-react'
import { useState } from 'react'
import type { PromptFile } from '../../../src/contract/agent-event.ts'
import { chatStrings } from '../../strings/chat.ts'
import { transcriptStrings } from '../../strings/transcript.ts'
import { session } from '../../session.ts'
import { IconButton } from '../../ui/button.tsx'
import { useAgentName } from '../agent/agent-name.ts'
import { pictureTypes } from '../chat/attachments.ts'
import { useChatHands } from '../chat/chat-hands.ts'
import { RewriteForm } from '../chat/rewrite-form.tsx'
import type { MessageRow } from './transcript-row.ts'

/** What a person said, or the agent that started this one, and what became of it. */
export function Message({ row }: { row: MessageRow }) {
  const { text, files, by, imported, delivery } = row
  const words = transcriptStrings
  const agent = useAgentName()(by ?? '')
  const { rewrite } = useChatHands()
  const [isRewriting, setRewriting] = useState(false)
  // What was said in the middle of a turn was heard by it: it cannot be unsaid.
  const mayRewrite = rewrite && delivery === undefined && !imported && by === session.get()?.principal.id
  const told =
    delivery &&
    (typeof delivery === 'string' ? words.delivery[delivery] : words.delivery.refused(delivery.refused))
  if (mayRewrite && isRewriting)
    return (
      <RewriteForm text={text} rewrite={(next) => rewrite(row, next)} onClose={() => setRewriting(false)} />
    )
  return (
    <div className="group flex flex-col items-end gap-1 ps-[12%]">
      <div className="flex max-w-full items-start gap-1">
        {mayRewrite && (
          <IconButton
            label={chatStrings.edit}
            className="mt-1 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 max-sm:opacity-100 pointer-coarse:opacity-100"
            onClick={() => setRewriting(true)}
          >
            <Pencil size={14} aria-hidden />
          </IconButton>
        )}
        <div className="min-w-0 rounded-panel border border-line bg-raise px-3 py-2">
          {agent ? (
            <bdi className="text-small text-mute">{agent}</bdi>
          ) : (
            <span className="sr-only">{whoIs(by)}: </span>
          )}
          <p dir="auto" className="max-h-100 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
            {text}
          </p>
          {files.map((file) => (
            <Attachment key={file.url.slice(-200)} file={file} />
          ))}
        </div>
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

/** A picture is shown, if it was brought along; of everything else there is the name. */
function Attachment({ file: { name, mediaType, url } }: { file: PromptFile }) {
  const isPicture = url.startsWith('data:') && pictureTypes.includes(mediaType)
  if (isPicture)
    return (
      <img
        src={url}
        alt={name || chatStrings.picture}
        className="mt-1.5 max-h-60 max-w-full rounded-control border border-line object-contain"
      />
    )
  return (
    <p className="text-small text-mute">
      <bdi>{transcriptStrings.file(name ?? (url.startsWith('data:') ? '' : url), mediaType)}</bdi>
    </p>
  )
}

function whoIs(by: string | null): string {
  const words = transcriptStrings
  if (by === session.get()?.principal.id) return words.you
  return by === 'owner' ? words.owner : words.person
}
