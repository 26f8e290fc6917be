import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { findAgent } from '#db/agents.ts'
import { appendEvents, lastSeq, lockStream } from '#db/events.ts'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { Tx } from '#db/pool.ts'
import { readSaid, readWords } from '#db/said-messages.ts'
import type { SaidMessage } from '#db/said-messages.ts'
import { liveExecutionIn } from '#db/sessions.ts'
import type { SessionRow } from '#db/sessions.ts'
import { findAnswered, findSaid, idOfSaid } from '#domain/conversation.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { checkAtRest } from '#domain/session.ts'
import { conversationSpans } from '#events/conversation.ts'
import type { AskingRules } from './ask-approval.ts'
import { theOwnSession } from './find-session.ts'
import { checkedMessage } from './say-in-chat.ts'
import type { SaidByClient, SaidInChat } from './say-in-chat.ts'
import { startNext } from './send-message.ts'

// Whoever wants another answer, or has said the wrong thing, goes back to that place: what came after it is no part of the conversation
// any more, and stays in the log.

type Rules = Pick<AskingRules, 'approvalExpiresMs'>

/** Leaves an answer, and everything after it, and has the same message answered once more. */
export async function answerAgain(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  sessionId: string,
  { messageId, last }: { messageId?: string; last: string },
  rules: Rules,
): Promise<SaidInChat> {
  const { session, said } = await theConversation(tx, by, sessionId)
  const named = messageId === undefined ? undefined : findAnswered(said, messageId)
  if (messageId !== undefined && !named) throw noMessage(messageId)
  const message = named ?? findSaid(said, last) ?? said.findLast(({ isWord }) => !isWord)
  if (!message)
    throw new Problem('cannot_branch', 'Nothing was said yet, so there is nothing to answer again')
  return goOnFrom(tx, by, handOver, session, message, undefined, rules)
}

/** Leaves a message of a person, and everything after it, and says something else in its place. */
export async function sayInstead(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  sessionId: string,
  messageId: string,
  instead: SaidByClient,
  rules: Rules,
): Promise<SaidInChat> {
  const { session, said } = await theConversation(tx, by, sessionId)
  const message = findSaid(said, messageId)
  if (!message) throw noMessage(messageId, ' of a person')
  return goOnFrom(tx, by, handOver, session, message, instead, rules)
}

/** What people said in the conversation as it stands, when nothing is under way in it and it is ours to branch. */
async function theConversation(tx: Tx, by: Principal, sessionId: string) {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, sessionId)
  const session = await theOwnSession(tx, by, sessionId)
  const agent = session.agentId ? await findAgent(tx, session.agentId) : undefined
  if (!agent) throw new Problem('cannot_branch', 'The agent of this session is gone')
  if (agent.adapter !== 'chat')
    throw new Problem(
      'cannot_branch',
      `${agent.name} keeps its own history, which cannot be gone back in: say what you want instead, or fork the session`,
    )
  checkAtRest(await liveExecutionIn(tx, sessionId), session.takenOverAt)
  const said: SaidMessage[] = []
  for (const span of await conversationSpans(tx, sessionId, (await lastSeq(tx, sessionId)) ?? 0))
    said.push(...(await readSaid(tx, span)))
  return { session, said }
}

async function goOnFrom(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  { id: sessionId, workspaceId }: SessionRow,
  message: SaidMessage,
  instead: SaidByClient | undefined,
  rules: Rules,
): Promise<SaidInChat> {
  const turn = await findExecution(tx, message.executionId)
  if (!turn) throw new Problem('cannot_branch', 'The turn that this message began is gone')
  const { streamId, isWord, seq } = message
  const payload = {
    after: (isWord ? seq : turn.firstSeq) - 1,
    ...(streamId !== sessionId && { of: streamId }),
    by: by.id,
  }
  const after = await appendEvents(tx, sessionId, [{ type: 'data-branch', payload }])
  const like = { ...turn, sessionId, workspaceId: workspaceId ?? turn.workspaceId }
  const next = instead
    ? byClient(instead)
    : { ...(await sameAgain(tx, turn, message)), messageId: idOfSaid(message) }
  const executionId = await startNext(tx, by, handOver, like, next, rules)
  return { executionId, after, isJoined: false }
}

function byClient(instead: SaidByClient) {
  const { text, files } = checkedMessage(instead)
  return { prompt: text, files, messageId: instead.messageId }
}

/** A turn may have begun without words of its own: with those of its task. */
async function sameAgain(tx: Tx, { prompt, files }: ExecutionRow, message: SaidMessage) {
  if (!message.isWord) return { prompt, files }
  const word = await readWords(tx, message)
  return { prompt: word.text, files: word.files }
}

const noMessage = (id: string, whose = '') =>
  bodyMisfit('messageId', `the conversation has no message "${id.slice(0, 100)}"${whose}: read it again`)
