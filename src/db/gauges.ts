import { sql } from 'drizzle-orm'
import type { WorkerReport } from '#contract/machine.ts'
import type { Database } from './pool.ts'

/** How things stand, in numbers. */
export interface Gauges {
  executions: { status: string; count: number }[]
  approvalsWaiting: number
  workspaces: { driver: string; state: string; count: number }[]
  machines: { name: string; isUp: boolean; report: WorkerReport | null }[]
}

/** In one statement, so that the numbers belong to the same moment. */
export async function readGauges(db: Database, staleAfterMs: number): Promise<Gauges> {
  const { rows } = await db.execute(sql`select
    (select coalesce(json_agg(e), '[]') from
      (select status, count(*)::int from executions group by status) e) as executions,
    (select count(*)::int from approvals where status = 'waiting') as "approvalsWaiting",
    (select coalesce(json_agg(w), '[]') from
      (select driver, state, count(*)::int from workspaces group by driver, state) w) as workspaces,
    (select coalesce(json_agg(m), '[]') from
      (select name, report, stopped_at is null and seen_at > now() - ${staleAfterMs} * interval '1 millisecond' as "isUp"
       from machines) m) as machines`)
  return rows[0] as unknown as Gauges
}
