import { and, asc, desc, eq, getTableColumns, gt, inArray, isNull, lt, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { ListedTask, Task, TaskQuery, TaskStatus, TaskWork } from '#contract/task.ts'
import type { Database, Tx } from './pool.ts'
import { tasks } from './schema.ts'

type NewTask = typeof tasks.$inferInsert
type TaskChanges = { [Field in keyof NewTask]?: NewTask[Field] | undefined }

const { searchable, ...shown } = getTableColumns(tasks)
const dependsOnTaskIds = sql<string[]>`array(
  select depends_on_task_id from task_dependencies d where d.task_id = tasks.id order by d.created_at, 1)`.as(
  'depends_on_task_ids',
)
/** By the index of a task's executions, for the rows of a page only. */
const work = sql<TaskWork | null>`(
  select json_build_object('turns', (select count(*) from executions e where e.task_id = tasks.id),
    'executionId', newest.id, 'sessionId', newest.session_id, 'agentId', newest.agent_id,
    'agentName', newest.agent_name, 'status', newest.status, 'changes',
    (select e.changes from executions e where e.task_id = tasks.id and e.changes is not null order by e.id desc limit 1))
  from executions newest where newest.task_id = tasks.id order by newest.id desc limit 1)`.as('work')
type Row = { [Field in keyof Task]: Field extends 'createdAt' | 'updatedAt' ? Date : Task[Field] }

const asTask = (row: Row): Task => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

export async function insertTask(tx: Tx, task: NewTask): Promise<void> {
  await tx.insert(tasks).values(task)
}

export async function findTask(db: Database | Tx, id: string): Promise<Task | undefined> {
  const [row] = await db
    .select({ ...shown, dependsOnTaskIds })
    .from(tasks)
    .where(eq(tasks.id, id))
  return row && asTask(row)
}

export async function findTasks(tx: Tx, ids: string[]): Promise<Task[]> {
  const rows = await tx
    .select({ ...shown, dependsOnTaskIds })
    .from(tasks)
    .where(inArray(tasks.id, ids))
  return rows.map(asTask)
}

export async function listTasks(
  db: Database,
  query: TaskQuery,
): Promise<{ data: ListedTask[]; total: number }> {
  const wanted = matching(query)
  // A page of its own inside, so that dependencies are looked up for the rows of the page, not for the skipped ones.
  const page = db
    .select(shown)
    .from(tasks)
    .where(wanted)
    .orderBy(asc(tasks.status), asc(tasks.position))
    .limit(query.pageSize)
    .offset((query.page - 1) * query.pageSize)
    .as('tasks')
  const [[counted], rows] = await Promise.all([
    db
      .select({ total: sql<number>`count(*)` })
      .from(tasks)
      .where(wanted),
    db
      .select({ ...page._.selectedFields, dependsOnTaskIds, work })
      .from(page)
      .orderBy(asc(page.status), asc(page.position)),
  ])
  return { data: rows.map((row) => ({ ...asTask(row), work: row.work })), total: counted?.total ?? 0 }
}

function matching(query: TaskQuery): SQL | undefined {
  const pattern = query.q && `%${query.q.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return and(
    query.status ? eq(tasks.status, query.status) : undefined,
    query.assigneeAgentId ? eq(tasks.assigneeAgentId, query.assigneeAgentId) : undefined,
    query.parentTaskId === 'none'
      ? isNull(tasks.parentTaskId)
      : query.parentTaskId
        ? eq(tasks.parentTaskId, query.parentTaskId)
        : undefined,
    pattern ? sql`${searchable} like lower(${pattern})` : undefined,
  )
}

export async function updateTask(tx: Tx, id: string, changes: TaskChanges): Promise<void> {
  await tx
    .update(tasks)
    .set({ ...changes, updatedAt: sql`clock_timestamp()` })
    .where(eq(tasks.id, id))
}

export async function deleteTask(tx: Tx, id: string): Promise<void> {
  await tx.delete(tasks).where(eq(tasks.id, id))
}

/** The nearest position above (`before`) or below (`after`) a place in a column; of the whole column without one. */
export async function nearestPosition(
  tx: Tx,
  status: TaskStatus,
  side: 'before' | 'after',
  place: string | null,
): Promise<string | null> {
  const beyond = place && (side === 'before' ? lt(tasks.position, place) : gt(tasks.position, place))
  const [row] = await tx
    .select({ position: tasks.position })
    .from(tasks)
    .where(and(eq(tasks.status, status), beyond || undefined))
    .orderBy(side === 'before' ? desc(tasks.position) : asc(tasks.position))
    .limit(1)
  return row?.position ?? null
}

export async function positionsOf(tx: Tx, status: TaskStatus): Promise<{ id: string; position: string }[]> {
  return tx
    .select({ id: tasks.id, position: tasks.position })
    .from(tasks)
    .where(eq(tasks.status, status))
    .orderBy(asc(tasks.position))
}

export async function setPositions(tx: Tx, ids: string[], positions: string[]): Promise<void> {
  await tx.$client.query(
    `update tasks set position = new.position
     from unnest($1::uuid[], $2::text[]) as new (id, position) where tasks.id = new.id`,
    [ids, positions],
  )
}

/** A task and everything below it, with how far below. */
export async function subtree(tx: Tx, id: string): Promise<{ id: string; title: string; below: number }[]> {
  const { rows } = await tx.$client.query<{ id: string; title: string; below: number }>(
    `with recursive tree as (
       select id, title, 0 as below from tasks where id = $1
       union all
       select child.id, child.title, tree.below + 1 from tasks child join tree on child.parent_task_id = tree.id
     ) select * from tree order by below desc`,
    [id],
  )
  return rows
}

export async function tasksAssignedTo(tx: Tx, agentId: string): Promise<string[]> {
  const rows = await tx.select({ id: tasks.id }).from(tasks).where(eq(tasks.assigneeAgentId, agentId))
  return rows.map(({ id }) => id)
}

/** Notes that something about these tasks changed which stands in another table. */
export async function touchTasks(tx: Tx, ids: string[]): Promise<void> {
  await tx.$client.query('update tasks set updated_at = clock_timestamp() where id = any($1::uuid[])', [ids])
}

export async function shiftDepths(tx: Tx, ids: string[], by: number): Promise<void> {
  await tx.$client.query('update tasks set depth = depth + $2 where id = any($1::uuid[])', [ids, by])
}
