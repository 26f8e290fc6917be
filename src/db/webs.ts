import { desc, eq, sql } from 'drizzle-orm'
import type { Database } from './pool.ts'
import { webs } from './schema.ts'

/** The web of this home serves here, from now on. */
export async function putWeb(db: Database, homeId: string, url: string): Promise<void> {
  const values = { homeId, url, startedAt: sql`now()` }
  await db.insert(webs).values(values).onConflictDoUpdate({ target: webs.homeId, set: values })
}

/** Where the web of this home serves, or else the one that began last; nothing when none ever did. */
export async function findWebUrl(db: Database, homeId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ url: webs.url })
    .from(webs)
    .orderBy(desc(eq(webs.homeId, homeId)), desc(webs.startedAt))
    .limit(1)
  return row?.url
}
