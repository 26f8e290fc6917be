import type { Principal } from '#contract/access.ts'
import { findApproval, isInSession } from '#db/approvals.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { Tx } from '#db/pool.ts'
import { inBrief } from '#domain/approval.ts'
import { contentOf } from '#domain/chat-request.ts'
import type { ChatAnswer } from '#domain/chat-request.ts'
import { Problem } from '#domain/problem.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import { answerApproval } from './answer-approval.ts'

/** Asked again in another message it has a number, too. */
const name = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.\d+)?$/i

/** Takes those answers of a chat client that are to something that waits in this session, as it was shown. */
export async function answerInChat(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'send'>,
  sessionId: string,
  answers: readonly ChatAnswer[],
): Promise<string> {
  let executionId: string | undefined
  for (const answer of answers) {
    // A client sends all that was ever answered: what does not wait any more was answered before.
    const id = name.exec(answer.approvalId)?.[1]
    const approval = id === undefined ? undefined : await findApproval(tx, id)
    if (!approval || !isInSession(approval)) continue
    if (approval.sessionId !== sessionId || approval.status !== 'waiting') continue
    if (!isWhatWasShown(approval, answer.input)) continue
    const { approved, reason } = answer
    const isForm = approval.questions !== null || approval.schema !== null
    const content = isForm && approved ? contentOf(reason, approval.questions) : undefined
    await answerApproval(tx, by, handOver, approval.id, {
      decision: approved ? 'granted' : 'refused',
      remember: false,
      ...(reason !== undefined && { reason }),
      ...(content && { content }),
    })
    executionId = approval.executionId
  }
  if (executionId !== undefined) return executionId
  throw new Problem(
    'approval_not_waiting',
    'Nothing here waits for this answer, or it was asked about something else',
  )
}

/** Of more than can be shown, the beginning was. */
const isWhatWasShown = ({ tool, input }: ApprovalRow, shown: unknown): boolean =>
  [input, inBrief(input)].some(
    (known) => hashOfInput({ tool, input: shown }) === hashOfInput({ tool, input: known ?? {} }),
  )
