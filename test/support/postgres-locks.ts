import type { DatabasePool } from '#db/pool.ts'

/** Resolves when a transaction of this database waits for another one: from then on the other decides. */
export async function untilOneWaits({ db }: DatabasePool): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  for (;;) if ((await db.$client.query(waiting)).rowCount) return
}
