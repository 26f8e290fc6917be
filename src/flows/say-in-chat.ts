import type { Principal } from '#contract/access.ts'
import { SendMessage, isLive } from '#contract/execution.ts'
import { promptCapabilitiesOf } from '#db/capabilities.ts'
import { lastSeq, lockWithBoard } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { Tx } from '#db/pool.ts'
import { findSession, latestExecutionIn } from '#db/sessions.ts'
import type { SessionRow } from '#db/sessions.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { checkWords } from '#domain/turn.ts'
import type { AskingRules } from './ask-approval.ts'
import { theOwnSession } from './find-session.ts'
import type { Said } from './message-event.ts'
import { sendMessage, startNext } from './send-message.ts'
import { startExecution } from './start-execution.ts'

/** The execution that takes what was said, and the place after which its answer comes. */
export interface SaidInChat {
  executionId: string
  after: number
  /** Whether it went to one that was under way. */
  isJoined: boolean
}

export interface SaidByClient {
  text: string
  files: object[]
  messageId?: string | undefined
}

/** The next turn of a session, or a word in the one under way. */
export async function sayInChat(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  sessionId: string,
  said: SaidByClient,
  rules: Pick<AskingRules, 'approvalExpiresMs'>,
): Promise<SaidInChat> {
  const message = checkedMessage(said)
  const { messageId } = said
  const [before, session, turn] = await Promise.all([
    lockWithBoard(tx, sessionId),
    theOwnSession(tx, by, sessionId),
    latestExecutionIn(tx, sessionId),
  ])
  if (turn && !isLive(turn.status)) {
    const next = { prompt: message.text, files: message.files, messageId }
    const executionId = await startNext(tx, by, handOver, turn, next, rules, session)
    return { executionId, isJoined: false, after: before }
  }
  if (turn) {
    const executionId = await sendMessage(tx, by, handOver, turn.id, { ...message, messageId }, rules)
    return { executionId, isJoined: true, after: (await lastSeq(tx, sessionId)) ?? 0 }
  }
  const executionId = await begin(tx, by, handOver, session, { ...message, messageId }, rules)
  return { executionId, isJoined: false, after: before }
}

export function checkedMessage({ text, files }: SaidByClient): SendMessage {
  checkWords('text', text, files)
  const words = text.trim() === '' ? 'See what is attached.' : text
  const { data, error } = SendMessage.safeParse({ text: words, files })
  if (data) return data
  const [issue] = error.issues
  throw bodyMisfit(`messages: ${issue?.path.join('.') ?? ''}`, issue?.message ?? 'cannot be sent')
}

/** The first turn. A fork is asked as its parent was. */
async function begin(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  session: SessionRow,
  { text, files, messageId }: Said,
  rules: Pick<AskingRules, 'approvalExpiresMs'>,
): Promise<string> {
  const { id: sessionId, taskId, workspaceId } = session
  const before = await turnBefore(tx, session)
  if (before?.capabilityId) {
    const like = { ...before, sessionId, taskId, workspaceId }
    return startNext(tx, by, handOver, like, { prompt: text, files, messageId }, rules)
  }
  const capabilityId = await theOnlyWay(tx, session.agentId)
  const asked = { capabilityId, args: {}, prompt: text, files, sessionId, confirm: false }
  return (await startExecution(tx, by, handOver, asked, { ...rules, messageId })).id
}

async function turnBefore(tx: Tx, session: SessionRow): Promise<ExecutionRow | undefined> {
  for (let parent = session.parentSessionId; parent !== null;) {
    const latest = await latestExecutionIn(tx, parent)
    if (latest) return latest
    parent = (await findSession(tx, parent))?.parentSessionId ?? null
  }
  return undefined
}

/** Before the first turn there is nothing to go by but the agent. */
async function theOnlyWay(tx: Tx, agentId: string | null): Promise<string> {
  const [only, another] = agentId === null ? [] : await promptCapabilitiesOf(tx, agentId)
  if (only && !another) return only.id
  throw new Problem(
    'takes_no_messages',
    only
      ? 'The agent can be asked in more than one way: start the first turn with POST /executions'
      : 'The agent cannot be asked in words',
  )
}
