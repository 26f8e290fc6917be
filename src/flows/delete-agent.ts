import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { deleteAgent as deleteRow } from '#db/agents.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { findTasks, tasksAssignedTo, touchTasks } from '#db/tasks.ts'
import { Problem } from '#domain/problem.ts'
import { asCard } from '#domain/task.ts'
import { checkIdle } from './edit-agent.ts'
import { theLockedAgent } from './find-agent.ts'

/** What it did stays, and still names it. Tasks that were given to it are nobody's again. */
export async function deleteAgent(tx: Tx, by: Principal, id: string): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  const agent = await theLockedAgent(tx, id)
  if (agent.builtin)
    throw new Problem(
      'agent_builtin',
      `${agent.name} came with Signalbox: it can be made inactive, not deleted`,
    )
  await checkIdle(tx, agent)
  const assigned = await tasksAssignedTo(tx, id)
  await deleteRow(tx, id)
  if (assigned.length === 0) return
  await touchTasks(tx, assigned)
  const freed = await findTasks(tx, assigned)
  await tellBoard(
    tx,
    ...freed.map((task) =>
      boardEvent('task.assigned', { task: asCard(task), from: id, to: null, by: by.id }, task.id),
    ),
  )
}
