import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Database, Tx } from './pool.ts'
import { signingKeys } from './schema.ts'

/** A key that all processes share, made by whoever needs it first. */
export async function signingKey(db: Database | Tx, name: string): Promise<Buffer> {
  const known = await find(db, name)
  if (known) return known
  await db
    .insert(signingKeys)
    .values({ name, secret: randomBytes(32) })
    .onConflictDoNothing()
  const made = await find(db, name)
  if (!made) throw new Error(`The signing key ${name} was made and is not there`)
  return made
}

async function find(db: Database | Tx, name: string): Promise<Buffer | undefined> {
  const [row] = await db
    .select({ secret: signingKeys.secret })
    .from(signingKeys)
    .where(eq(signingKeys.name, name))
  return row?.secret
}
