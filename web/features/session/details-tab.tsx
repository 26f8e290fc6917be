import type { Agent } from '../../../src/contract/agent.ts'
import type { Usage } from '../../../src/contract/agent-event.ts'
import type { Session } from '../../../src/contract/session.ts'
import { sessionStrings } from '../../strings/session.ts'
import { Details } from './details.tsx'
import type { ExecutionFilter, Executions, KnownExecution } from './execution-list.ts'
import { SessionFacts } from './session-facts.tsx'
import { Turns } from './turns.tsx'

interface Props {
  session: Session
  agent: Agent | undefined
  used: Usage | undefined
  executions: Executions | undefined
  /** The turn that is told of. */
  shown: KnownExecution | undefined
  filter: ExecutionFilter
  isTalk: boolean
}

/** Everything that is known of a session, of one of its turns, and of what it was made of. */
export function DetailsTab({ session, agent, used, executions, shown, filter, isTalk }: Props) {
  return (
    <div className="min-h-0 grow overflow-y-auto px-4 py-2 max-lg:px-5.5 max-sm:px-4">
      <SessionFacts session={session} agent={agent} agentName={shown?.agentName} used={used} />
      {shown && (
        <section className="mt-2 border-t border-line pt-2">
          <h2 className="py-1 text-small font-semibold text-soft">
            {shown.id === executions?.rows[0]?.id ? sessionStrings.newestTurn : sessionStrings.thisTurn}
          </h2>
          <Details execution={shown} />
        </section>
      )}
      {executions && (
        <Turns
          executions={executions}
          shown={shown?.id ?? ''}
          filter={filter}
          view={isTalk ? 'details' : undefined}
        />
      )}
    </div>
  )
}
