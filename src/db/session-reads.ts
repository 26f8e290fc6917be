import { eq } from 'drizzle-orm'
import type { Database, Tx } from './pool.ts'
import { sessions } from './schema.ts'

export async function findSessionCreator(db: Database | Tx, id: string): Promise<string | undefined> {
  const [row] = await db.select({ createdBy: sessions.createdBy }).from(sessions).where(eq(sessions.id, id))
  return row?.createdBy
}
