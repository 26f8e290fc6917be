import { eq, notExists, sql } from 'drizzle-orm'
import type { Database, Tx } from './pool.ts'
import { codeImages, codeRuns } from './schema.ts'

/** Once for each hash, however many come with it. */
export async function insertImage(
  tx: Tx,
  { hash, bytes }: { hash: string; bytes: Uint8Array },
): Promise<void> {
  await tx
    .insert(codeImages)
    .values({ hash, bytes: Buffer.from(bytes) })
    .onConflictDoNothing()
}

export async function hasImage(db: Database | Tx, hash: string): Promise<boolean> {
  return (await db.$count(codeImages, eq(codeImages.hash, hash))) > 0
}

export async function findImage(
  db: Database,
  hash: string,
): Promise<{ hash: string; bytes: Uint8Array } | undefined> {
  const [row] = await db.select().from(codeImages).where(eq(codeImages.hash, hash))
  return row && { hash, bytes: row.bytes }
}

/** Of earlier versions, over which nothing is frozen any more. */
export async function deleteUnusedImages(db: Database, before: Date): Promise<void> {
  const uses = db
    .select({ one: sql`1` })
    .from(codeRuns)
    .where(eq(codeRuns.imageHash, codeImages.hash))
  await db
    .delete(codeImages)
    .where(sql`${codeImages.createdAt} < ${before.toISOString()}::timestamptz and ${notExists(uses)}`)
}
