import { memo } from 'react'
import { transcriptStrings } from '../../strings/transcript.ts'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { ApprovalCard } from '../approval/approval-card.tsx'
import type { Asked } from '../approval/approval-card.tsx'
import { QueueActions } from '../approval/queue-actions.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { AnsweredApproval } from './answered-approval.tsx'
import { DiffText } from './diff-text.tsx'
import { EndOfTurn } from './end-of-turn.tsx'
import { Message } from './message.tsx'
import { numbered } from './numbered.ts'
import { ToolCard } from './tool-card.tsx'
import type { DiffRow, PlanRow, Row, SummaryRow, TextRow } from './transcript-row.ts'

/** One part of a conversation. Whatever an agent says is text, and nothing in it can be more than that. */
export const TranscriptRow = memo(function TranscriptRow({
  row,
  takesKeys,
  queue,
  isFolded,
}: {
  row: Row
  takesKeys: boolean
  /** What waits beside it, where it is the first of them. */
  queue: readonly Asked[] | undefined
  /** Of a tool: its question is asked after others, and is folded into it meanwhile. */
  isFolded: boolean
}) {
  switch (row.kind) {
    case 'message':
      return <Message row={row} />
    case 'text':
      return <Markdown text={row.text} insideOf={row.fence} />
    case 'reasoning':
      return <Reasoning row={row} />
    case 'tool':
      return <ToolCard row={row} isFolded={isFolded} />
    case 'plan':
      return <Plan row={row} />
    case 'diff':
      return <LooseDiff row={row} />
    case 'notice':
      return (
        <p dir="auto" className={`text-small wrap-anywhere ${row.isProblem ? 'text-stop' : 'text-mute'}`}>
          {row.text}
        </p>
      )
    case 'summary':
      return <Summary row={row} />
    case 'approval':
      return row.status === 'waiting' ? (
        <div className="flex flex-col gap-2">
          {queue && <QueueActions queue={queue} />}
          <ApprovalCard approval={row.asked} takesKeys={takesKeys} />
        </div>
      ) : (
        <AnsweredApproval row={row} />
      )
    case 'end':
      return <EndOfTurn row={row} />
  }
})

function Reasoning({ row: { text, isOpen } }: { row: TextRow }) {
  return (
    <details className="border-s-2 border-edge ps-3 text-mute">
      <summary className="cursor-pointer select-none">
        {isOpen ? transcriptStrings.thinking : transcriptStrings.thought}
      </summary>
      <p dir="auto" className="pt-1 wrap-anywhere whitespace-pre-wrap">
        {text}
      </p>
    </details>
  )
}

function Summary({ row: { text, messages } }: { row: SummaryRow }) {
  return (
    <details className="border-s-2 border-edge ps-3 text-mute">
      <summary className="cursor-pointer select-none">{transcriptStrings.summedUp(messages)}</summary>
      <div className="pt-1">
        <Markdown text={text} />
      </div>
    </details>
  )
}

const stepAspects: Record<string, Aspect> = { pending: 'idle', in_progress: 'moving', completed: 'done' }

function Plan({ row: { entries, text } }: { row: PlanRow }) {
  const words = transcriptStrings
  return (
    <section aria-label={words.plan} className="rounded-card border border-line bg-panel px-3 py-2">
      <h3 className="pb-1 text-small font-semibold text-soft">{words.plan}</h3>
      {text && (
        <p dir="auto" className="pb-1 wrap-anywhere whitespace-pre-wrap">
          {text}
        </p>
      )}
      <ol className="flex flex-col gap-0.5">
        {numbered(entries).map(({ thing: { content, status }, number }) => (
          <li key={number} className="flex items-baseline gap-2">
            <Signal
              aspect={stepAspects[status] ?? 'idle'}
              word={words.planStates[status] ?? status}
              hidesWord
            />
            <bdi className={`min-w-0 wrap-anywhere ${status === 'completed' ? 'text-mute' : ''}`}>
              {content}
            </bdi>
          </li>
        ))}
      </ol>
    </section>
  )
}

function LooseDiff({ row: { diff } }: { row: DiffRow }) {
  return (
    <details className="rounded-card border border-line bg-panel px-3 py-2">
      <summary className="flex cursor-pointer items-center gap-2 select-none">
        <bdi className="min-w-0 truncate">{diff.path}</bdi>
        <span className="ms-auto shrink-0 text-small tabular-nums">
          <span className="text-go">+{diff.added}</span> <span className="text-stop">−{diff.removed}</span>
        </span>
      </summary>
      <DiffText diff={diff} />
    </details>
  )
}
