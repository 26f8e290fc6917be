import type { ApprovalOnBoard } from './approval.ts'
import type { ExecutionOnBoard } from './execution.ts'
import type { SourceStatus } from './source.ts'
import type { Task, TaskWork } from './task.ts'
import type { WorkspaceOnBoard } from './workspace.ts'

/** A task as the board stream tells it: with its description only where that was written, and without what was done for it. */
export type Card = Omit<Task, 'description'> & Partial<Pick<Task, 'description'>> & { work?: TaskWork | null }

/** What happens on the board stream, by the event's `type`. `by` is the id of who did it. */
export interface BoardEvents {
  'task.created': { task: Task; by: string }
  'task.edited': { task: Card; changed: (keyof Task)[]; by: string }
  'task.moved': { task: Card; from: Task['status']; to: Task['status']; by: string }
  'task.reordered': { task: Card; by: string }
  'task.assigned': { task: Card; from: string | null; to: string | null; by: string }
  'task.dependency_added': { task: Card; dependsOnTaskId: string; by: string }
  'task.dependency_removed': { task: Card; dependsOnTaskId: string; by: string }
  'task.deleted': { taskId: string; title: string; by: string }
  /** The cards of one column got new positions in the same order: read it again. */
  'column.respread': { status: Task['status'] }
  'execution.queued': { execution: ExecutionOnBoard; by: string }
  'execution.started': { execution: ExecutionOnBoard }
  'execution.cancelling': { execution: ExecutionOnBoard; by: string }
  /** However it ended; its status says how. */
  'execution.completed': { execution: ExecutionOnBoard }
  /** Its machine has not been heard of for a while, or is back. */
  'execution.reachable': { execution: ExecutionOnBoard }
  /** It is over, and how much it has changed is known. */
  'execution.measured': { execution: ExecutionOnBoard }
  /** Somebody is asked. */
  'approval.asked': { approval: ApprovalOnBoard }
  /** Granted, refused or expired; its status says which. */
  'approval.answered': { approval: ApprovalOnBoard; by: string }
  /** Made, made ready, changed, trashed or restored; its state says which. */
  'workspace.changed': { workspace: WorkspaceOnBoard; by: string }
  /** Not even in the trash any more. */
  'workspace.forgotten': { workspaceId: string; name: string; by: string }
  /** Its program has vanished, or is back. */
  'agent.missing': { agentId: string; name: string; missingSince: string | null }
  /** A source of tools was registered. Everybody hears it, so one that is not for everybody has no name here. */
  mcpAdded: { name: string | null; by: string }
  'source.removed': { name: string | null; by: string }
  /** Its settings, its health or its tools: read them again. */
  'source.changed': { name: string | null; status: SourceStatus; tools: number }
}
