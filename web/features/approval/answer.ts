import type { AnswerApproval } from '../../../src/contract/approval.ts'
import { Refusal } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { approvalStrings } from '../../strings/approval.ts'
import { announce } from '../../ui/announce.tsx'
import { toast } from '../../ui/toast.tsx'
import { forgetApproval } from './waiting-cache.ts'

export type Given = Partial<AnswerApproval> & Pick<AnswerApproval, 'decision'>

/** Nobody can answer it any more, whatever they say. */
const tooLate = new Set([
  'approval_already_answered',
  'approval_expired',
  'execution_ended',
  'approval_not_found',
])

const here = new Set<string>()
export const wasAnsweredHere = (id: string): boolean => here.has(id)

/** Answers a question. Whether it is out of the world then: one that came too late is, too, and that is told. */
export async function answer({ id, title }: { id: string; title: string }, given: Given): Promise<boolean> {
  const words = approvalStrings
  here.add(id)
  try {
    await roomApi.answer(id, given)
    announce(given.decision === 'granted' ? words.granted(title) : words.refused(title))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const isTooLate = error instanceof Refusal && tooLate.has(error.code)
    toast(isTooLate ? words.tooLate(title, reason) : words.notAnswered(title, reason), { isProblem: true })
    if (!isTooLate) {
      here.delete(id)
      return false
    }
  }
  forgetApproval(id)
  return true
}
