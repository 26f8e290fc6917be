import { and, eq, inArray } from 'drizzle-orm'
import type { Dependency } from '#domain/dependency.ts'
import type { Tx } from './pool.ts'
import { taskDependencies } from './schema.ts'

/** Answers false when it was there already. */
export async function insertDependency(tx: Tx, taskId: string, dependsOnTaskId: string): Promise<boolean> {
  const added = await tx
    .insert(taskDependencies)
    .values({ taskId, dependsOnTaskId })
    .onConflictDoNothing()
    .returning({ taskId: taskDependencies.taskId })
  return added.length > 0
}

/** Answers false when there was none. */
export async function deleteDependency(tx: Tx, taskId: string, dependsOnTaskId: string): Promise<boolean> {
  const removed = await tx
    .delete(taskDependencies)
    .where(and(eq(taskDependencies.taskId, taskId), eq(taskDependencies.dependsOnTaskId, dependsOnTaskId)))
    .returning({ taskId: taskDependencies.taskId })
  return removed.length > 0
}

/** Who waits for any of these tasks, and for which. */
export async function dependenciesOn(tx: Tx, ids: string[]): Promise<Dependency[]> {
  return tx
    .select({ taskId: taskDependencies.taskId, dependsOnTaskId: taskDependencies.dependsOnTaskId })
    .from(taskDependencies)
    .where(inArray(taskDependencies.dependsOnTaskId, ids))
}

/** Every dependency that can be reached from a task. */
export async function reachableDependencies(tx: Tx, from: string): Promise<Dependency[]> {
  const { rows } = await tx.$client.query<Dependency>(
    `with recursive reached (id) as (
       select $1::uuid
       union
       select d.depends_on_task_id from task_dependencies d join reached on d.task_id = reached.id
     )
     select d.task_id as "taskId", d.depends_on_task_id as "dependsOnTaskId"
     from task_dependencies d join reached on d.task_id = reached.id`,
    [from],
  )
  return rows
}
