import { and, asc, eq, isNull } from 'drizzle-orm'
import type { KeeperCommand } from '#contract/keeper.ts'
import { newId } from '#lib/id.ts'
import type { Database, Tx } from './pool.ts'
import { commands } from './schema.ts'

/** Rings at the machine that drives the execution when the transaction commits. */
export const COMMANDS_CHANNEL = 'commands'

/** Queues what is to be told to the agent, in the transaction that acknowledges it to the caller. */
export async function enqueueCommand(
  tx: Tx,
  executionId: string,
  command: { type: KeeperCommand['type']; payload: unknown; createdBy: string },
): Promise<string> {
  const id = newId()
  await tx.insert(commands).values({ id, executionId, ...command })
  await tx.$client.query(`select pg_notify('${COMMANDS_CHANNEL}', $1)`, [executionId])
  return id
}

export async function undeliveredCommands(
  db: Database,
  executionId: string,
): Promise<Omit<KeeperCommand, 'epoch'>[]> {
  return db
    .select({ id: commands.id, type: commands.type, payload: commands.payload })
    .from(commands)
    .where(and(eq(commands.executionId, executionId), isNull(commands.deliveredAt)))
    .orderBy(asc(commands.position))
}

/** These are nobody's words to the agent: what became of them is not told. */
export const isSilent = (type: KeeperCommand['type']): boolean => ['cancel', 'hold', 'go_on'].includes(type)

/** False when that was known already. */
export async function markDelivered(tx: Tx, id: string, outcome: string): Promise<boolean> {
  const marked = await tx
    .update(commands)
    .set({ deliveredAt: new Date(), outcome })
    .where(and(eq(commands.id, id), isNull(commands.deliveredAt)))
    .returning({ id: commands.id })
  return marked.length > 0
}

/** What was never told to the agent will not be. A cancel needs no agent: that it is gone is what was asked for. */
export async function dropCommands(tx: Tx, executionId: string): Promise<DroppedCommand[]> {
  const dropped = await tx
    .update(commands)
    .set({ deliveredAt: new Date(), outcome: 'not run, agent gone' })
    .where(and(eq(commands.executionId, executionId), isNull(commands.deliveredAt)))
    .returning()
  return dropped.filter(({ type }) => !isSilent(type)).toSorted((a, b) => a.position - b.position)
}

export type DroppedCommand = typeof commands.$inferSelect
