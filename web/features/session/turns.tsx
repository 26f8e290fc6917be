import { Link } from '@tanstack/react-router'
import { sessionStrings } from '../../strings/session.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import type { ExecutionFilter, Executions } from './execution-list.ts'
import { UsageLine } from './end-of-turn.tsx'
import { ExecutionSignal } from './execution-signal.tsx'
import { readMoreExecutions } from './executions.ts'
import { Took } from './took.tsx'

interface Props {
  executions: Executions
  shown: string
  filter: ExecutionFilter
  view: 'details' | undefined
}

/** The executions of a session, newest first. With only one there is nothing to choose. */
export function Turns({ executions: { rows, total }, shown, filter, view }: Props) {
  if (total < 2) return null
  const more = () =>
    void readMoreExecutions(filter).catch((error: Error) => toast(error.message, { isProblem: true }))
  return (
    <nav aria-label={sessionStrings.turns} className="mt-2 border-t border-line pt-2">
      <h2 className="pb-1 text-small font-semibold text-soft">{sessionStrings.turns}</h2>
      <ol reversed className="-mx-1.5">
        {rows.map((execution, index) => (
          <li key={execution.id}>
            <Link
              to="/sessions/$id"
              params={{ id: execution.sessionId }}
              search={{ execution: execution.id, view }}
              replace
              aria-current={execution.id === shown ? 'true' : undefined}
              className="flex items-center gap-2 rounded-control px-1.5 py-1 hover:bg-raise aria-[current=true]:bg-raise max-sm:py-2"
            >
              <ExecutionSignal execution={execution} hidesWord />
              <span className="tabular-nums">{sessionStrings.turn(total - index)}</span>
              <bdi className="min-w-0 truncate text-mute">{execution.capabilityKey}</bdi>
              <span className="ms-auto flex shrink-0 gap-3 text-small text-mute tabular-nums">
                {execution.costUsd !== null && (
                  <UsageLine usage={{ inputTokens: 0, outputTokens: 0, costUsd: execution.costUsd }} />
                )}
                <Took execution={execution} />
              </span>
            </Link>
          </li>
        ))}
      </ol>
      {rows.length < total && (
        <Button look="quiet" className="mt-1" onClick={more}>
          {sessionStrings.earlier}
        </Button>
      )}
    </nav>
  )
}
