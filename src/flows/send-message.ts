import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { isLive } from '#contract/execution.ts'
import { findAgent, lockAgent } from '#db/agents.ts'
import { findAsked } from '#db/approvals.ts'
import { findCapability } from '#db/capabilities.ts'
import { enqueueCommand } from '#db/commands.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import { lockExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { Tx } from '#db/pool.ts'
import { liveExecutionIn, spentIn } from '#db/sessions.ts'
import type { SessionRow } from '#db/sessions.ts'
import { depthOfSession } from '#db/spawns.ts'
import { findWorkspace } from '#db/workspaces.ts'
import { dangerRequest } from '#domain/approval.ts'
import { takesPrompt } from '#domain/capability.ts'
import { isDangerous } from '#domain/execution.ts'
import { Problem } from '#domain/problem.ts'
import { checkNotTaken } from '#domain/session.ts'
import { checkWords } from '#domain/turn.ts'
import type { AskingRules } from './ask-approval.ts'
import { visibleExecution } from './find-execution.ts'
import { theOwnSession } from './find-session.ts'
import { messageEvent } from './message-event.ts'
import type { Said } from './message-event.ts'
import { startExecution } from './start-execution.ts'
import type { Known } from './start-execution.ts'

/** Answers with the execution that takes the message: the live one of its session, else the next one. */
export async function sendMessage(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  id: string,
  said: Said,
  rules?: Pick<AskingRules, 'approvalExpiresMs'>,
): Promise<string> {
  checkWords('text', said.text, said.files)
  const { sessionId } = await visibleExecution(tx, by, id)
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, sessionId)
  checkNotTaken(await theOwnSession(tx, by, sessionId))
  // Whoever names a turn that is over means the session: one that began since takes it.
  const row = await lockExecution(tx, (await liveExecutionIn(tx, sessionId)) ?? id)
  if (!isLive(row.status)) return startNext(tx, by, handOver, row, { ...said, prompt: said.text }, rules)
  if ((await adapterOf(tx, row)) === 'template')
    throw new Problem('takes_no_messages', 'A command cannot be talked to while it runs: wait, or cancel it')
  if (await isDangerousNow(tx, row))
    throw new Problem(
      'takes_no_messages',
      'What is said to something dangerous needs a yes of its own: wait for its end',
    )
  const { text, files } = said
  const command = { type: 'message' as const, payload: { text, files }, createdBy: by.id }
  const commandId = await enqueueCommand(tx, row.id, command)
  await appendEvents(tx, sessionId, [messageEvent(row.id, said, by, commandId)])
  return row.id
}

/** A turn like this one, which is over, in the same session or in one that comes from it. */
export async function startNext(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  row: ExecutionRow,
  { prompt, files, messageId }: Omit<Said, 'text'> & { prompt: string | null },
  rules: Pick<AskingRules, 'approvalExpiresMs'> | undefined,
  /** Its session, if it is known to be theirs and at rest. */
  session?: SessionRow,
): Promise<string> {
  const [known, capability] = await Promise.all([
    session && knownOf(tx, row, session),
    row.capabilityId ? findCapability(tx, row.capabilityId) : undefined,
  ])
  if (!capability)
    throw new Problem('takes_no_messages', `${row.agentName} or its ${row.capabilityKey} is gone`)
  if (!takesPrompt(capability))
    throw new Problem('takes_no_messages', `${capability.key} has no {{prompt}} for a message to go to`)
  const wanted = {
    capabilityId: capability.id,
    args: row.args,
    ...(prompt !== null && { prompt }),
    files,
    sessionId: row.sessionId,
    ...(row.taskId && { taskId: row.taskId }),
    ...(row.workspaceId && { workspaceId: row.workspaceId }),
    confirm: false,
  }
  const next = await startExecution(tx, by, handOver, wanted, {
    ...rules,
    messageId,
    known: { ...known, capability },
  })
  return next.id
}

/** What the next turn of a session at rest is decided by, asked for at once. The agent is locked first. */
async function knownOf(tx: Tx, { agentId, workspaceId }: ExecutionRow, session: SessionRow): Promise<Known> {
  const [agent, depth, spent, workspace] = await Promise.all([
    agentId ? lockAgent(tx, agentId) : undefined,
    depthOfSession(tx, session.id),
    spentIn(tx, session.id),
    workspaceId ? findWorkspace(tx, workspaceId) : undefined,
  ])
  return { session, agent, depth, spent, workspace }
}

/** Somebody said yes to what it was asked, and to nothing that is said to it later. */
async function isDangerousNow(tx: Tx, { id, capabilityId }: ExecutionRow): Promise<boolean> {
  const capability = capabilityId ? await findCapability(tx, capabilityId) : undefined
  return isDangerous(capability?.dangerLevel ?? 0) || (await findAsked(tx, id, dangerRequest)) !== undefined
}

/** Of a live execution: as long as it lives, its agent cannot be deleted. */
export async function adapterOf(tx: Tx, row: ExecutionRow) {
  return row.agentId ? (await findAgent(tx, row.agentId))?.adapter : undefined
}
