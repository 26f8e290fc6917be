import type { Approval, ApprovalOnBoard } from '../../../src/contract/approval.ts'
import type { StreamEvent } from '../../../src/contract/event.ts'
import { queryClient } from '../../query-client.ts'

/** What waits for a person, as far as it was read: the riskiest first. */
export interface Waiting {
  rows: readonly Approval[]
  total: number
}

export const waitingKey = ['approvals'] as const
export const answeredKey = ['answered'] as const

const remembered = 1000
let over: readonly string[] = []

/** A list that was asked for before an answer was given may arrive after it. */
export const stillWaiting = ({ rows, total }: Waiting): Waiting => {
  const left = rows.filter(({ id }) => !over.includes(id))
  return left.length === rows.length
    ? { rows, total }
    : { rows: left, total: total - rows.length + left.length }
}

/** What the stream told of approvals; it carries other things too, now or in a later version. */
export const approvalIn = ({ type, payload }: StreamEvent): ApprovalOnBoard[] => {
  if (!type.startsWith('approval.')) return []
  const { approval } = (payload ?? {}) as { approval?: ApprovalOnBoard }
  return approval ? [approval] : []
}

/** Takes what the stream told of approvals into the list of those that wait. What is new must be read: the stream does not tell it. */
export function takeApprovals(events: readonly StreamEvent[]): void {
  const told = events.flatMap(approvalIn)
  if (told.length === 0) return
  for (const { id, status } of told) if (status !== 'waiting') forgetApproval(id)
  if (told.some(({ id, status }) => status === 'waiting' && !over.includes(id))) readAgainSoon()
}

/** It does not wait any more. */
export function forgetApproval(id: string): void {
  over = [...over, id].slice(-remembered)
  queryClient.setQueryData<Waiting>(waitingKey, (now) => now && stillWaiting(now))
  void queryClient.invalidateQueries({ queryKey: answeredKey })
}

let isSoon = false

/** Many questions in a row cause one request, not one each. */
function readAgainSoon(): void {
  if (isSoon) return
  isSoon = true
  setTimeout(() => {
    isSoon = false
    void queryClient.invalidateQueries({ queryKey: waitingKey })
  }, 60)
}
