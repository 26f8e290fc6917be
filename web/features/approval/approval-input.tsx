import { roomStrings } from '../../room-strings.ts'
import type { Asked } from './approval-card.tsx'
import { inputParts } from './input-parts.ts'

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 }

/** What would be done, in full. It is somebody else's text: shown letter by letter, never as anything else. */
export function ApprovalInput({ approval: { kind, input, title } }: { approval: Asked }) {
  const parts = inputParts(input)
  if (parts.length === 0) return <p className="px-3 pt-1 text-mute">{roomStrings.approval.noInput}</p>
  return (
    <dl className="flex flex-col gap-1.5 px-3 pt-1.5">
      {parts.map(({ name, text }) => (
        <div key={name}>
          {name && <dt className="text-small text-mute">{name}</dt>}
          <dd>
            <pre
              {...reachable}
              dir={kind === 'plan' ? 'auto' : 'ltr'}
              aria-label={name || title}
              data-input
              className={`max-h-80 overflow-auto rounded-control border border-line bg-ground px-2.5 py-1.5 wrap-anywhere whitespace-pre-wrap ${kind === 'plan' ? 'font-sans' : 'font-mono text-small'}`}
            >
              {text}
            </pre>
          </dd>
        </div>
      ))}
    </dl>
  )
}
