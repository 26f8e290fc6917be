import { useState } from 'react'
import { roomStrings } from '../../room-strings.ts'
import { Signal } from '../../ui/signal.tsx'
import { ApprovalCard } from './approval-card.tsx'
import type { Asked } from './approval-card.tsx'
import { inputLine } from './input-parts.ts'
import { visibleText } from './visible-text.ts'

/** A question that comes after another one: in a line, until it is its turn or somebody wants to answer it before. */
export function FoldedApproval({ asked }: { asked: Asked }) {
  const [isOpen, setOpen] = useState(false)
  const { id, kind, tool, input, position = 0, total = 0 } = asked
  if (isOpen) return <ApprovalCard approval={asked} takesKeys={false} />
  return (
    <button
      type="button"
      data-folded-approval={id}
      aria-expanded={false}
      className="flex min-h-9 w-full items-center gap-2.5 rounded-card border border-wait bg-panel px-3 py-1 text-start hover:bg-raise max-sm:min-h-11"
      onClick={() => setOpen(true)}
    >
      <Signal aspect="waits" word={roomStrings.approval.asks[kind](visibleText(tool))} />
      <span data-queue className="shrink-0 text-small text-soft tabular-nums">
        {roomStrings.approval.inQueue(position, total)}
      </span>
      <bdi className="min-w-0 truncate font-mono text-small">{inputLine(input)}</bdi>
    </button>
  )
}
