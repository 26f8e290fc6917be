import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { welcomeStrings as words } from '../../strings/welcome.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { ChangesSize } from '../../ui/changes-size.tsx'
import { ApprovalCard } from '../approval/approval-card.tsx'
import { useWaiting } from '../approval/waiting.ts'
import { isLive } from '../session/execution-list.ts'
import { ExecutionSignal, reasonOf } from '../session/execution-signal.tsx'
import { useExecutions } from '../session/executions.ts'
import type { Begun } from './begin-first.ts'

/** How the first task goes, and what it asks, without leaving the page. */
export default function FirstRun({ begun, onAgain }: { begun: Begun; onAgain: () => void }) {
  const { taskId, sessionId, agentName } = begun
  const filter = useMemo(() => ({ taskId }), [taskId])
  const execution = useExecutions(filter).data?.rows[0]
  const asked = useWaiting().data?.rows.filter((approval) => approval.executionId === execution?.id) ?? []
  const isOver = execution !== undefined && !isLive(execution.status)
  const hasFailed = isOver && execution.status !== 'succeeded'
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  const question = asked[0]
  const reason = execution && reasonOf(execution)
  const title = question
    ? words.asksYou(agentName)
    : hasFailed
      ? words.failed(agentName)
      : isOver
        ? words.over(agentName)
        : words.working(agentName)
  return (
    <section data-first-run={execution?.status ?? 'queued'} className="flex flex-col gap-4">
      <div
        aria-live="polite"
        className="flex flex-wrap items-center gap-x-3 gap-y-1 border-y border-line py-3"
      >
        {execution && <ExecutionSignal execution={execution} />}
        <h3 ref={heading} tabIndex={-1} className="font-semibold outline-none">
          {title}
        </h3>
        {execution?.changes && execution.changes.files > 0 && <ChangesSize changes={execution.changes} />}
      </div>
      {question && <ApprovalCard key={question.id} approval={question} takesKeys />}
      {reason && <p className="wrap-anywhere text-stop">{reason}</p>}
      {isOver && !hasFailed && <p className="text-soft">{words.overText}</p>}
      <div className="flex flex-wrap gap-2">
        <Link to="/sessions/$id" params={{ id: sessionId }} className={buttonLook(isOver ? 'main' : 'plain')}>
          {words.openSession}
        </Link>
        <Link to="/board" className={buttonLook()}>
          {words.toBoard}
        </Link>
        {isOver && (
          <Button look="quiet" onClick={onAgain}>
            {words.again}
          </Button>
        )}
      </div>
    </section>
  )
}
