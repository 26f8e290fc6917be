import type { ExecutionStatus, LogStream } from '#contract/execution.ts'
import type { NewEvent } from '#contract/event.ts'
import { appendEvents, lastSeq } from '#db/events.ts'
import type { DatabasePool } from '#db/pool.ts'
import { executions, machines, sessions, streams } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import { eq } from 'drizzle-orm'

/** An execution that stands in the tables as if somebody drove it, and what can be done to it. */
export interface SeededExecution {
  id: string
  sessionId: string
  say(...chunks: [LogStream, string | Uint8Array][]): Promise<number>
  change(status: ExecutionStatus): Promise<number>
  end(status?: ExecutionStatus, exitCode?: number | null, error?: string | null): Promise<number>
}

export const chunk = (stream: LogStream, bytes: string | Uint8Array): NewEvent => ({
  type: 'data-terminal',
  payload: { stream, chunk: Buffer.from(bytes as Uint8Array).toString('base64') },
})

/** A session of its own, or the next execution of one. */
export async function seedExecution(
  pool: DatabasePool,
  { createdBy = 'owner', sessionId = newId(), endedAt = new Date() } = {},
): Promise<SeededExecution> {
  const { db } = pool
  const [id, machineId] = [newId(), newId()]
  await db.insert(machines).values({ id: machineId, name: 'here', workerId: 'here', url: 'unix:here' })
  await db.insert(streams).values({ id: sessionId }).onConflictDoNothing()
  await db.insert(sessions).values({ id: sessionId, title: 'A session', createdBy }).onConflictDoNothing()
  await db.insert(executions).values({
    id,
    sessionId,
    agentName: 'git',
    capabilityKey: 'status',
    machineId,
    queue: 'tool',
    priority: 0,
    status: 'running',
    args: {},
    createdBy,
    firstSeq: (await lastSeq(db, sessionId))! + 1,
  })

  const append = (...events: NewEvent[]) =>
    pool.transaction((tx) =>
      appendEvents(
        tx,
        sessionId,
        events.map((event) => ({ ...event, executionId: id })),
      ),
    )
  return {
    id,
    sessionId,
    say: (...chunks) => append(...chunks.map(([stream, bytes]) => chunk(stream, bytes))),
    async change(status) {
      await db.update(executions).set({ status }).where(eq(executions.id, id))
      return append({ type: 'data-status', payload: { status } })
    },
    end: (status = 'succeeded', exitCode = 0, error = null) =>
      pool.transaction(async (tx) => {
        const last = { type: 'data-status', payload: { status, exitCode, error }, executionId: id }
        const seq = await appendEvents(tx, sessionId, [last])
        await tx
          .update(executions)
          .set({ status, exitCode, error, lastSeq: seq, endedAt })
          .where(eq(executions.id, id))
        return seq
      }),
  }
}
