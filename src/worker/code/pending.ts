import { CodeFailed } from '#codemode/port.ts'
import type { CallKind, Outcome } from '#codemode/port.ts'
import type { CodeResult } from '#contract/execute.ts'
import type { ApprovalRow } from '#db/approvals.ts'
import type { MadeCall } from '#db/code-calls.ts'
import { owner } from '#domain/access.ts'
import { failedResult } from '#domain/code-run.ts'
import type { ToolQuestion } from '#flows/ask-tool-approval.ts'
import type { WaitingCall } from '#flows/freeze-code-run.ts'
import type { Consent } from '#tools/port.ts'
import { whyNot } from '../tools/approve-in-code.ts'

/** A call that the code has made, and has not heard of yet. */
export interface Pending extends MadeCall {
  kind: CallKind
  state: 'underway' | 'waiting'
  question?: ToolQuestion
  approvalId?: string
  /** To the run that has made the call, as long as it was not taken out. */
  tell?: (outcome: Outcome) => void
}

/** Neither of these can be written into the database, and no tool has them in its name. */
export const nameToKeep = (name: string): string => name.replaceAll('\0', '\uFFFD').toWellFormed()

export const madeOf = ({ call, kind, name, input }: MadeCall): MadeCall => ({ call, kind, name, input })

export function waitingOf({ approvalId, question, ...one }: Pending): WaitingCall {
  if (approvalId !== undefined) return { ...madeOf(one), approvalId }
  if (question) return { ...madeOf(one), question }
  throw new Error(`Call ${one.call} waits for nothing`)
}

export const consentOf = ({ answeredBy, inputHash }: ApprovalRow): Consent & { inputHash: string } => ({
  by: answeredBy ?? '',
  isOwner: answeredBy === owner.id,
  inputHash,
})

export const notCalled = (approval: ApprovalRow): CodeFailed =>
  new CodeFailed('mcp', 'MCP_ERROR', whyNot(approval), {
    tool: approval.tool,
    approvalId: approval.id,
    status: approval.status,
  })

export const unknownOutcome = ({ kind, name }: MadeCall): CodeFailed =>
  new CodeFailed(
    kind === 'network' ? 'network' : 'mcp',
    kind === 'network' ? 'NETWORK_ERROR' : 'MCP_ERROR',
    `Signalbox was restarted while ${name} was called. Whether it was done is not known, so it was not called again: look before you do`,
    { call: name, outcome: 'unknown' },
  )

export const astray = (
  run: { id: string; logs: readonly string[] },
  why: string,
  metrics: CodeResult['metrics'],
): CodeResult =>
  failedResult(
    run,
    {
      type: 'runtime',
      code: 'RUNTIME_ERROR',
      message: `The code went another way when it was taken up again: ${why}. Run it again, without what differs from run to run`,
    },
    metrics,
  )
