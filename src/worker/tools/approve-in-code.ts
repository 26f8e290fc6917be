import type { ApprovalRow } from '#db/approvals.ts'
import type { DatabasePool } from '#db/pool.ts'
import { checkAskable, nobodyAnswered } from '#domain/approval.ts'
import { Problem } from '#domain/problem.ts'
import type { AskingRules } from '#flows/ask-approval.ts'
import { askToolApproval, decideForAgent, decideForPerson, isLetPass } from '#flows/ask-tool-approval.ts'
import type { ToolQuestion } from '#flows/ask-tool-approval.ts'
import { CallFailed } from '#tools/port.ts'
import type { ApprovalQuestion, Caller, Consent, InCode } from '#tools/port.ts'
import { insist } from '../code/insist.ts'
import { callQuestion } from './questions.ts'

interface Needs {
  pool: DatabasePool
  rules: () => AskingRules & { machineId: string }
}

/**
 * What code calls. Nobody is waited for here: what a person has to be asked about rejects with `awaits_person`, and the run is put away
 * until they answer. Then the same call comes with their consent, which is for exactly this.
 */
export async function approveInCode(
  { pool, rules }: Needs,
  caller: Caller,
  { consent }: InCode,
  question: ApprovalQuestion,
  signal: AbortSignal,
): Promise<Consent | void> {
  const asked = callQuestion(caller, question)
  const effect = await insist(() => decided({ pool, rules }, caller, question), signal)
  if (effect === 'deny') throw refused(ruledOut(asked.tool))
  if (effect === 'allow') return undefined
  if (consent?.inputHash === asked.inputHash) return { by: consent.by, isOwner: consent.isOwner }
  // They have said yes beforehand, to this run; that is no yes to a definition for good.
  if (caller.kind === 'person' && caller.confirmed) return undefined
  checkShowable(asked)
  throw new CallFailed('awaits_person', `${asked.tool} is not called before a person has said yes`, {
    isUnsent: true,
    context: { question: asked },
  })
}

/** What a rule decides for an agent is in its session as ever. */
async function decided({ pool, rules }: Needs, caller: Caller, question: ApprovalQuestion) {
  if (caller.kind === 'person') return decideForPerson(pool.db, callQuestion(caller, question), rules())
  const asked = callQuestion(caller, question)
  if (await isLetPass(pool.db, asked, rules())) return 'allow'
  const effect = await decideForAgent(pool.db, asked, rules())
  if (effect !== 'ask') await pool.transaction((tx) => askToolApproval(tx, asked, rules())).catch(asRefusal)
  return effect
}

function asRefusal(error: unknown): never {
  throw error instanceof Problem ? refused(error.message) : error
}

function checkShowable({ tool, input }: ToolQuestion): void {
  try {
    checkAskable(tool, input)
  } catch (error) {
    asRefusal(error)
  }
}

const ruledOut = (tool: string): string =>
  whyNot({ status: 'refused', tool, reason: null, answeredBy: 'policy' })

/** Why it was not called, for whoever wanted to. */
export function whyNot({
  status,
  tool,
  reason,
  answeredBy,
}: Pick<ApprovalRow, 'status' | 'tool' | 'reason' | 'answeredBy'>): string {
  if (status === 'expired') return `${tool} was not called: ${reason ?? nobodyAnswered}`
  const who = answeredBy === 'policy' ? 'a rule' : 'a person'
  const why = reason && answeredBy !== 'policy' ? `: ${reason}` : ''
  return `${tool} was not called, because ${who} has refused it${why}. Do not try again unless you are asked to`
}

export const refused = (message: string, context?: Record<string, unknown>): CallFailed =>
  new CallFailed('tool_refused', message, { ...(context && { context }) })
