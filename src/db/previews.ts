import { and, eq, gt, sql } from 'drizzle-orm'
import type { Principal } from '#contract/access.ts'
import type { WorkspaceApp, WorkspaceDriver } from '#contract/workspace.ts'
import type { Machine } from './machines.ts'
import type { Database, Tx } from './pool.ts'
import { previews } from './schema.ts'

export type PreviewRow = typeof previews.$inferSelect

/** What a ticket or a key opens: one workspace's app, or one other port of it. */
export interface PreviewPlace {
  workspaceId: string
  /** Null: the app's. */
  port: number | null
}

export async function insertPreview(
  tx: Tx,
  { lifeMs, ...row }: Omit<PreviewRow, 'expiresAt'> & { lifeMs: number },
): Promise<Date> {
  const [inserted] = await tx
    .insert(previews)
    .values({
      ...row,
      expiresAt: sql`least(${row.until}::timestamptz, now() + ${lifeMs} * interval '1 millisecond')`,
    })
    .returning({ expiresAt: previews.expiresAt })
  if (!inserted) throw new Error('An inserted preview was not returned')
  return inserted.expiresAt
}

/** Takes a ticket away, of many who try at once for one; a ticket for another place stays. */
export async function takePreviewTicket(
  tx: Tx,
  hash: Buffer,
  { workspaceId, port }: PreviewPlace,
): Promise<PreviewRow | undefined> {
  const [row] = await tx
    .delete(previews)
    .where(
      and(
        eq(previews.hash, hash),
        eq(previews.kind, 'ticket'),
        eq(previews.workspaceId, workspaceId),
        sql`${previews.port} is not distinct from ${port}`,
        gt(previews.expiresAt, sql`now()`),
      ),
    )
    .returning()
  return row
}

export async function sweepExpiredPreviews(tx: Tx): Promise<void> {
  await tx.execute(sql`
    delete from previews where hash in (
      select hash from previews where expires_at <= now() limit 1000 for update skip locked)`)
}

/** What a key opens, as it is now, and whose it is. */
export interface OpenPreview {
  principal: Principal
  driver: WorkspaceDriver
  app: WorkspaceApp | null
  ports: number[]
  machine: Machine
}

const openText = `
  select p.principal, w.driver, w.app, w.ports, json_build_object('id', m.id, 'name', m.name, 'url', m.url) as machine
  from previews p join workspaces w on w.id = p.workspace_id join machines m on m.id = w.machine_id
  left join tokens t on t.id = p.token_id
  where p.hash = $1 and p.kind = 'key' and p.workspace_id = $2 and p.port is not distinct from $3
    and p.expires_at > now() and w.state <> 'trashed' and (t.expires_at is null or t.expires_at > now())`

/** Every request to a preview asks. */
export async function findPreview(
  db: Database,
  hash: Buffer,
  { workspaceId, port }: PreviewPlace,
): Promise<OpenPreview | undefined> {
  const statement = { name: 'find preview', text: openText, values: [hash, workspaceId, port] }
  const [row] = (await db.$client.query<OpenPreview>(statement)).rows
  return row
}
