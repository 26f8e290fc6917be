import { inArray, sql } from 'drizzle-orm'
import type { StoredSetting } from '#domain/settings.ts'
import type { Database, Tx } from './pool.ts'
import { settings } from './schema.ts'

export const SETTINGS_CHANNEL = 'settings'

export function readSettings(db: Database | Tx): Promise<StoredSetting[]> {
  return db.select().from(settings).orderBy(settings.key)
}

/** One change after another: two that fit alone could contradict each other together. */
export async function lockSettings(tx: Tx): Promise<void> {
  await tx.execute(sql`lock table ${settings} in share row exclusive mode`)
}

export async function saveSettings(
  tx: Tx,
  by: string,
  values: [key: string, value: unknown][],
): Promise<void> {
  if (values.length === 0) return
  await tx
    .insert(settings)
    .values(values.map(([key, value]) => ({ key, value, updatedBy: by })))
    .onConflictDoUpdate({
      target: settings.key,
      set: { value: sql`excluded.value`, updatedBy: sql`excluded.updated_by`, updatedAt: sql`now()` },
    })
}

export async function removeSettings(tx: Tx, keys: string[]): Promise<void> {
  if (keys.length > 0) await tx.delete(settings).where(inArray(settings.key, keys))
}

/** Tells every process, once the transaction is through. */
export async function tellSettings(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_notify(${SETTINGS_CHANNEL}, '')`)
}
