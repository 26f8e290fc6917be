import type { Usage } from '../../../src/contract/agent-event.ts'
import { transcriptStrings } from '../../strings/transcript.ts'
import { dateAndTime } from '../../ui/time.ts'
import { AgainButton } from '../chat/again-button.tsx'
import { ExecutionSignal, reasonOf } from './execution-signal.tsx'
import type { EndRow } from './transcript-row.ts'

const figure = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })

/** How a turn ended, and what it used. */
export function EndOfTurn({ row: { executionId, status, error, usage, at } }: { row: EndRow }) {
  const reason = reasonOf({ status, error })
  const shown = { status, waitingApprovals: 0, unreachableSince: null }
  return (
    <div
      data-end={status}
      className="flex min-h-9 flex-wrap items-center gap-x-3 gap-y-0.5 border-t border-line pt-1.5 text-small text-mute"
    >
      <ExecutionSignal execution={shown} />
      {reason && <bdi className="min-w-0 wrap-anywhere text-soft">{reason}</bdi>}
      <AgainButton executionId={executionId} hasFailed={status !== 'succeeded'} />
      <span className="ms-auto flex gap-x-3 tabular-nums">
        {usage && <UsageLine usage={usage} />}
        <time dateTime={at}>{dateAndTime(at)}</time>
      </span>
    </div>
  )
}

/** Tokens and money; what an agent does not know is not shown. */
export function UsageLine({
  usage: { inputTokens, outputTokens, costUsd },
}: {
  usage: Pick<Usage, 'inputTokens' | 'outputTokens' | 'costUsd'>
}) {
  const told = [
    ...(inputTokens + outputTokens > 0
      ? [transcriptStrings.tokens(figure.format(inputTokens), figure.format(outputTokens))]
      : []),
    ...(costUsd !== null && costUsd > 0 ? [dollars.format(costUsd)] : []),
  ]
  return (
    <span data-usage className="whitespace-nowrap tabular-nums">
      {told.join(' · ')}
    </span>
  )
}
