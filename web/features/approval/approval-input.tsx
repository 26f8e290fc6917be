import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { roomApi } from '../../room-api.ts'
import { approvalStrings } from '../../strings/approval.ts'
import { Button } from '../../ui/button.tsx'
import { ChangesSize } from '../../ui/changes-size.tsx'
import { DiffText } from '../session/diff-text.tsx'
import { numbered } from '../session/numbered.ts'
import type { Asked } from './approval-card.tsx'
import { changesAsked } from './input-diffs.ts'
import { cutInput, inputParts } from './input-parts.ts'
import { visibleText } from './visible-text.ts'

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 }

/** What would be done, in full; what is very long when somebody wants to see it. */
export function ApprovalInput({ approval }: { approval: Asked }) {
  const { id, input } = approval
  const [isWhole, setWhole] = useState(false)
  const whole = useQuery({
    queryKey: ['approval', id],
    queryFn: ({ signal }) => roomApi.approval(id, signal),
    enabled: isWhole,
  })
  const cut = cutInput(input)
  if (!cut) return <Parts approval={approval} />
  if (whole.data) return <Parts approval={{ ...approval, input: whole.data.input }} />
  return (
    <>
      <Parts approval={{ ...approval, input: cut.beginning }} />
      <div className="flex flex-wrap items-center gap-2 px-3 pt-1.5 text-small">
        <span className="text-stop">{approvalStrings.isCut(cut.characters)}</span>
        <Button disabled={whole.isFetching} onClick={() => (isWhole ? void whole.refetch() : setWhole(true))}>
          {approvalStrings.showAll}
        </Button>
        {whole.error && <span role="alert">{whole.error.message}</span>}
      </div>
    </>
  )
}

/** It is somebody else's text: shown letter by letter, never as anything else. */
function Parts({ approval }: { approval: Asked }) {
  const changes = changesAsked(approval.input)
  if (!changes) return <PlainParts approval={approval} />
  const isMore = Object.keys(changes.rest).length > 0
  return (
    <>
      {numbered(changes.diffs).map(({ thing: diff, number }) => (
        <div key={number} className="px-3 pt-1.5">
          <p dir="ltr" className="flex items-baseline gap-2 font-mono text-small wrap-anywhere text-soft">
            {visibleText(diff.path)}
            <ChangesSize changes={{ files: 1, additions: diff.added, deletions: diff.removed }} />
          </p>
          <DiffText diff={diff} />
        </div>
      ))}
      {isMore && <PlainParts approval={{ ...approval, input: changes.rest }} />}
    </>
  )
}

function PlainParts({ approval: { kind, input, title } }: { approval: Asked }) {
  const parts = inputParts(input)
  if (parts.length === 0) return <p className="px-3 pt-1 text-mute">{approvalStrings.noInput}</p>
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
