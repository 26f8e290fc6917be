import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import { roomStrings } from '../../strings/room.ts'
import { hasOwnInterface } from '../terminal/own-interface.ts'

interface Known {
  session: Pick<Session, 'agentId' | 'sessionRef' | 'executions' | 'takenOverAt' | 'trashedAt'>
  /** Undefined where it is gone. */
  agent: Agent | undefined
  isTalk: boolean
  isAtWork: boolean
  maySpeak: boolean
  mayUseTerminal: boolean
}

type Verb = 'rename' | 'fork' | 'takeOver' | 'trash' | 'restore'

/** Why something cannot be done with a session now, as far as it is known here; null where it can be tried. */
export function whyNot({ session, agent, isTalk, isAtWork, maySpeak, mayUseTerminal }: Known) {
  const why = roomStrings.why
  const first = (...reasons: (string | false)[]) => reasons.find((reason) => reason !== false) ?? null
  const mayNot = !maySpeak && why.mayNot
  const isTrashed = session.trashedAt !== null && why.trashed
  const isTaken = session.takenOverAt !== null && why.taken
  const isGone = (session.agentId === null || !agent) && why.agentGone
  const hasBegun = agent?.adapter === 'chat' ? session.executions > 0 : session.sessionRef !== null
  return {
    rename: first(mayNot),
    fork: first(mayNot, isTrashed, !isTalk && why.isCommand, isGone, !hasBegun && why.notBegun),
    takeOver: first(
      !mayUseTerminal && why.noTerminal,
      isTrashed,
      isGone,
      agent !== undefined && !hasOwnInterface(agent) && why.noInterface(agent.name),
    ),
    trash: first(mayNot, isAtWork && why.atWork, isTaken),
    restore: first(mayNot),
  } satisfies Record<Verb, string | null>
}
