import type { Principal } from '#contract/access.ts'
import type { Agent } from '#contract/agent.ts'
import type { SessionFacts } from '#contract/agent-event.ts'
import type { Knock } from '#contract/gateway.ts'
import { ChosenModel } from '#contract/internal.ts'
import type { AskChoice } from '#contract/internal.ts'
import type { Session } from '#contract/session.ts'
import { findAgent } from '#db/agents.ts'
import { lastSeq } from '#db/events.ts'
import { findMachine } from '#db/machines.ts'
import type { Database } from '#db/pool.ts'
import { turnAt } from '#db/sessions.ts'
import { Problem } from '#domain/problem.ts'
import { editSession } from '#flows/edit-session.ts'
import { visibleSession } from '#flows/find-execution.ts'
import { openSession } from '#flows/open-session.ts'
import { theChatAgent } from '#flows/the-chat-agent.ts'
import { livingMachine } from '../mcp-machine.ts'
import { askWorker } from '../owning-worker.ts'
import type { Parts } from '../room.ts'

/** The session that a client talks in, and from where it is told. */
export interface Place {
  sessionId: string
  provider: string
  model: string | null
  /** The client has everything up to here… */
  after: number
  /** …and to know what that means it is read from here on. */
  from: number
  /** How far the session was. */
  end: number
}

type Needs = Pick<Parts, 'pool' | 'machineId' | 'settings'>

/** The session that is asked for, or a new one with the chat agent. */
export async function findPlace(needs: Needs, by: Principal, knock: Knock): Promise<Place> {
  const talk =
    knock.sessionId === undefined
      ? await openTalk(needs, by, knock.model)
      : await goOnIn(needs, by, await visibleSession(needs.pool.db, by, knock.sessionId), knock)
  return { ...talk, ...(await readingPlace(needs.pool.db, talk.sessionId, knock.after)) }
}

type Talk = Pick<Place, 'sessionId' | 'provider' | 'model'>

async function openTalk(needs: Needs, by: Principal, model: string | undefined): Promise<Talk> {
  const machine = await livingMachine(needs)
  if (!machine)
    throw new Problem(
      'machine_unavailable',
      'No worker is running, and models are asked by one. Start it: signalbox worker',
    )
  const agent = await needs.pool.transaction((tx) => theChatAgent(tx, machine))
  // Before there is a session: one in which nobody can talk is of no use.
  const chosen = await chosenBy(needs.pool.db, agent, model ?? agent.model)
  const sessionId = await needs.pool.transaction((tx) =>
    openSession(tx, by, { agentId: agent.id, ...(model !== undefined && { model }) }),
  )
  return { sessionId, provider: chosen.provider, model: chosen.model }
}

async function goOnIn(
  { pool }: Needs,
  by: Principal,
  session: Session,
  { model, after }: Knock,
): Promise<Talk> {
  const { id: sessionId, agentId, facts } = session
  if (session.trashedAt)
    throw new Problem('session_trashed', 'The session is in the trash: restore it first', { sessionId })
  const agent = agentId === null ? undefined : await findAgent(pool.db, agentId)
  // Whoever comes back says what they said at first; somebody may have chosen another model since.
  const isChange = model !== undefined && after === undefined && model !== session.model
  const wanted = isChange ? model : session.model
  const chosen =
    agent?.adapter === 'chat' ? await chosenOrKnown(pool.db, agent, wanted ?? agent.model, facts) : undefined
  if (isChange) await pool.transaction((tx) => editSession(tx, by, sessionId, { model }))
  return {
    sessionId,
    provider: chosen?.provider ?? agent?.adapter ?? 'none',
    model: chosen?.model ?? facts.model ?? wanted,
  }
}

/** A worker that is away keeps nobody out of a session in which a model has answered: there is much to read and to answer there. */
async function chosenOrKnown(
  db: Database,
  agent: Agent,
  model: string | null,
  { model: known }: SessionFacts,
): Promise<{ provider: string; model: string }> {
  try {
    return await chosenBy(db, agent, model)
  } catch (error) {
    const isAway = error instanceof Problem && error.code === 'machine_unavailable'
    if (!isAway || known === undefined) throw error
    const [provider = '', ...name] = known.split('/')
    return { provider, model: name.join('/') }
  }
}

/** Which model its machine would ask. Refused when its key is missing, which is named. */
async function chosenBy(
  db: Database,
  { name, machineId }: Agent,
  model: string | null,
): Promise<ChosenModel> {
  const machine = machineId === null ? undefined : await findMachine(db, machineId)
  if (!machine) throw new Problem('machine_unavailable', `${name} has no machine yet: edit it first`)
  const asked: AskChoice = { model }
  return askWorker(db, machine, '/models/choose', asked, ChosenModel)
}

async function readingPlace(
  db: Database,
  sessionId: string,
  wanted: number | undefined,
): Promise<Pick<Place, 'after' | 'from' | 'end'>> {
  const end = (await lastSeq(db, sessionId)) ?? 0
  const after = wanted ?? end
  if (after > end)
    throw new Problem(
      'does_not_fit',
      `The session has not reached ${after} yet; it is at ${end}. Connect without auth.after`,
      { in: 'handshake', fields: [{ field: 'after', reason: `must be at most ${end}` }] },
    )
  const turn = await turnAt(db, sessionId, after)
  const isOver = !turn || (turn.endedAt !== null && after === end)
  return { after, end, from: isOver ? after : turn.firstSeq - 1 }
}
