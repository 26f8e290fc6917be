import { createHash } from 'node:crypto'
import type { Database } from './pool.ts'

/** It stands among what was accepted of a source, by a name that no tool can have. */
const home = '@home'

const keepText = `
  insert into tool_pins (source_id, tool, hash, definition, accepted_by)
  select id, $2, $3, json_build_object('for', $4::text), 'first seen' from sources where id = $1
  on conflict (source_id, tool) do update
    set hash = excluded.hash, definition = excluded.definition, accepted_at = now()
    where tool_pins.definition ->> 'for' <> excluded.definition ->> 'for'`
const readText = 'select hash from tool_pins where source_id = $1 and tool = $2'

/**
 * Where the credentials of a source belong: the origin that its document named first. Another one counts only when the owner has given
 * another address of the document.
 */
export async function keepSourceHome(
  db: Database,
  { id, address, origin }: { id: string; address: string; origin: string },
): Promise<string> {
  // There may be a secret in an address.
  const of = createHash('sha256').update(address).digest('hex')
  await db.$client.query({ name: 'keep_source_home', text: keepText, values: [id, home, origin, of] })
  const { rows } = await db.$client.query<{ hash: string }>({
    name: 'source_home',
    text: readText,
    values: [id, home],
  })
  return rows[0]?.hash ?? origin
}
