import { eq } from 'drizzle-orm'
import type { Database } from './pool.ts'
import { sources, toolPins } from './schema.ts'

/** A definition, and the hash by which it is known again. */
export interface PinnedDefinition {
  tool: string
  hash: string
  definition: unknown
}

/** The hashes of what was accepted of a source, by tool. */
export async function pinsOf(db: Database, source: string): Promise<Map<string, string>> {
  const rows = await db
    .select({ tool: toolPins.tool, hash: toolPins.hash })
    .from(toolPins)
    .innerJoin(sources, eq(sources.id, toolPins.sourceId))
    .where(eq(sources.name, source))
  return new Map(rows.map(({ tool, hash }) => [tool, hash]))
}

const putText = `
  insert into tool_pins (source_id, tool, hash, definition, accepted_by)
  select sources.id, pin.tool, pin.hash, pin.definition::json, $2
  from sources, unnest($3::text[], $4::text[], $5::text[]) as pin(tool, hash, definition)
  where sources.name = $1
  on conflict (source_id, tool) do update
    set hash = excluded.hash, definition = excluded.definition, accepted_by = excluded.accepted_by, accepted_at = now()`

/** These count from now on. Nothing for a source that is gone. */
export async function putPins(
  db: Database,
  source: string,
  pins: readonly PinnedDefinition[],
  by: string,
): Promise<void> {
  const definitions = pins.map(({ definition }) => JSON.stringify(definition))
  const values = [source, by, pins.map(({ tool }) => tool), pins.map(({ hash }) => hash), definitions]
  await db.$client.query({ name: 'put_pins', text: putText, values })
}
