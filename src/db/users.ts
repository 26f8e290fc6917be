import { and, asc, eq, ne, sql } from 'drizzle-orm'
import type { Scope, User } from '#contract/access.ts'
import type { Database, Tx } from './pool.ts'
import { users } from './schema.ts'

type Row = typeof users.$inferSelect

const asUser = (row: Row): User => ({ ...row, createdAt: row.createdAt.toISOString() })

/** Returns nothing when the name is taken. */
export async function insertUser(tx: Tx, user: typeof users.$inferInsert): Promise<User | undefined> {
  const [row] = await tx.insert(users).values(user).onConflictDoNothing({ target: users.name }).returning()
  return row && asUser(row)
}

/** Two flows about the same user come one after the other. */
export async function lockUser(tx: Tx, id: string): Promise<User | undefined> {
  const [row] = await tx.select().from(users).where(eq(users.id, id)).for('update')
  return row && asUser(row)
}

export async function findUser(db: Database, id: string): Promise<User | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id))
  return row && asUser(row)
}

export async function listUsers(
  db: Database,
  page: number,
  pageSize: number,
): Promise<{ data: User[]; total: number }> {
  const [[counted], rows] = await Promise.all([
    db.select({ total: sql<number>`count(*)` }).from(users),
    db
      .select()
      .from(users)
      .orderBy(asc(users.name))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
  ])
  return { data: rows.map(asUser), total: counted?.total ?? 0 }
}

/** Whether somebody else has this name. */
export async function isNameTaken(tx: Tx, id: string, name: string): Promise<boolean> {
  return (await tx.$count(users, and(eq(users.name, name), ne(users.id, id)))) > 0
}

export async function updateUser(
  tx: Tx,
  id: string,
  changes: { name?: string | undefined; scopes?: Scope[] | undefined },
): Promise<User> {
  const [row] = await tx
    .update(users)
    .set({ ...changes, id })
    .where(eq(users.id, id))
    .returning()
  if (!row) throw new Error(`User ${id} is gone`)
  return asUser(row)
}

/** The user's tokens and session keys go with it. */
export async function deleteUser(tx: Tx, id: string): Promise<void> {
  await tx.delete(users).where(eq(users.id, id))
}
