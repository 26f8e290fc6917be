import type { PromptFile, Usage } from '../../../src/contract/agent-event.ts'
import type { ApprovalStatus } from '../../../src/contract/approval.ts'
import type { ExecutionStatus } from '../../../src/contract/execution.ts'
import type { Asked } from '../approval/approval-card.tsx'

/** Text that may be longer than is kept. */
export interface Clipped {
  text: string
  /** How many characters are not there. */
  cut: number
}

export interface Diff {
  path: string
  /** Unified, as text. */
  text: string
  added: number
  removed: number
}

export type ToolState = 'running' | 'asked' | 'done' | 'failed' | 'denied'

interface Of<Kind extends string> {
  kind: Kind
  key: string
  executionId: string | null
}

export interface MessageRow extends Of<'message'> {
  text: string
  files: PromptFile[]
  /** Null when nobody knows. */
  by: string | null
  imported: boolean
  /** What became of it; undefined for one that begins a turn. */
  delivery: 'sending' | 'delivered' | 'steered' | 'queued' | { refused: string } | undefined
}
export interface TextRow extends Of<'text' | 'reasoning'> {
  text: string
  isOpen: boolean
  /** What it begins in the middle of: the fence of a piece of code, when a long text goes on in another row. */
  fence: string
}
export interface ToolRow extends Of<'tool'> {
  name: string
  title: string
  input: unknown
  /** While it is being written. */
  inputText: string
  output: Clipped | null
  /** What its sub-agent said. */
  said: string
  diffs: Diff[]
  state: ToolState
  /** Which call of its step it is, when somebody was asked: `2 of 5`. */
  queue: string
  /** What somebody is asked before it is called. */
  asked: Asked | null
  /** A rule has let it pass. */
  byRule: boolean
}
export interface PlanRow extends Of<'plan'> {
  entries: { content: string; status: string }[]
  text: string
}
export interface DiffRow extends Of<'diff'> {
  diff: Diff
}
export interface NoticeRow extends Of<'notice'> {
  text: string
  isProblem: boolean
}
/** What the model is told in the place of what it is not shown any more. */
export interface SummaryRow extends Of<'summary'> {
  text: string
  messages: number
}
export interface ApprovalRow extends Of<'approval'> {
  asked: Asked
  toolCallId: string
  status: ApprovalStatus
  by: string | null
  reason: string
}
export interface EndRow extends Of<'end'> {
  status: ExecutionStatus
  error: string | null
  usage: Usage | undefined
  at: string
}
export type Row =
  | MessageRow
  | TextRow
  | ToolRow
  | PlanRow
  | DiffRow
  | NoticeRow
  | SummaryRow
  | ApprovalRow
  | EndRow
