import type { Principal } from '#contract/access.ts'
import type { Task } from '#contract/task.ts'
import { agentExists } from '#db/agents.ts'
import type { Database, Tx } from '#db/pool.ts'
import { findTask } from '#db/tasks.ts'
import { findWorkspace } from '#db/workspaces.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { maySeeWorkspace } from './find-workspace.ts'

export async function theTask(db: Database | Tx, id: string): Promise<Task> {
  const task = await findTask(db, id)
  if (!task) throw new Problem('task_not_found', `No task ${id}`)
  return task
}

/** A task that a body names: not finding it is the body's fault, not the address's. */
export async function theNamed(tx: Tx, field: string, id: string): Promise<Task> {
  const named = await findTask(tx, id)
  if (named) return named
  throw bodyMisfit(field, `there is no task ${id}`)
}

/** Whoever does not see a workspace cannot name it. */
export async function checkWorkspace(tx: Tx, by: Principal, id: string | null): Promise<void> {
  if (id !== null && !((await findWorkspace(tx, id)) && (await maySeeWorkspace(tx, by, id))))
    throw bodyMisfit('workspaceId', `there is no workspace ${id}`)
}

export async function checkAssignee(tx: Tx, agentId: string | null): Promise<void> {
  if (agentId !== null && !(await agentExists(tx, agentId)))
    throw bodyMisfit('assigneeAgentId', `there is no agent ${agentId}`)
}
