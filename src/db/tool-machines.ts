import type { Machine } from './machines.ts'
import type { Database } from './pool.ts'

// Asked before every request of MCP: one statement each, prepared once for each connection.

/** By Postgres's clock, as `workerStatuses` has it. */
const livingText = `
  select id, name, url from machines
  where stopped_at is null and seen_at >= now() - $2 * interval '1 millisecond'
  order by id::text <> $1, name, id limit 1`

/** One whose worker lives: this one, or else the first. */
export async function findLivingMachine(
  db: Database,
  rather: string,
  staleAfterMs: number,
): Promise<Machine | undefined> {
  const values = [rather, staleAfterMs]
  const { rows } = await db.$client.query<Machine>({ name: 'living machine', text: livingText, values })
  return rows[0]
}

const ofSourceText = `
  select s.config->'grants' as grants, m.id, m.name, m.url
  from sources s join machines m on m.id = s.machine_id where s.name = $1`

/** Where a source is, and to whom it is granted. */
export async function findMachineOfSource(
  db: Database,
  source: string,
): Promise<{ grants: string[]; machine: Machine } | undefined> {
  const statement = { name: 'machine of source', text: ofSourceText, values: [source] }
  const { rows } = await db.$client.query<Machine & { grants: string[] }>(statement)
  const [row] = rows
  if (!row) return undefined
  const { grants, ...machine } = row
  return { grants, machine }
}
