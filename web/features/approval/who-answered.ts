import type { Approval } from '../../../src/contract/approval.ts'
import { session } from '../../session.ts'
import { approvalStrings } from '../../strings/approval.ts'

/** Who answered a question, as far as it was somebody. */
export function whoAnswered({ answeredBy, answeredByName, status }: Approval): string {
  const words = approvalStrings.by
  if (status === 'expired' || !answeredBy) return ''
  if (answeredBy === session.get()?.principal.id) return words.you
  if (answeredByName) return words.named(answeredByName)
  if (answeredBy === 'policy' || answeredBy === 'owner' || answeredBy === 'agent') return words[answeredBy]
  return words.other
}
