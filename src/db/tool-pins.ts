import { eq, inArray } from 'drizzle-orm'
import type { Database } from './pool.ts'
import { sources, toolPins } from './schema.ts'

/** A definition, and the hash by which it is known again. */
export interface PinnedDefinition {
  tool: string
  hash: string
  definition: unknown
}

/** Of which source it is, and who says that it counts. */
export interface Pin extends PinnedDefinition {
  source: string
  by: string
}

/** The hashes of what was accepted of these sources, by tool. */
export async function pinsOf(
  db: Database,
  names: readonly string[],
): Promise<Map<string, Map<string, string>>> {
  const rows = await db
    .select({ source: sources.name, tool: toolPins.tool, hash: toolPins.hash })
    .from(toolPins)
    .innerJoin(sources, eq(sources.id, toolPins.sourceId))
    .where(inArray(sources.name, [...names]))
  const found = new Map(names.map((name) => [name, new Map<string, string>()]))
  for (const { source, tool, hash } of rows) found.get(source)?.set(tool, hash)
  return found
}

const putText = `
  insert into tool_pins (source_id, tool, hash, definition, accepted_by)
  select sources.id, pin.tool, pin.hash, pin.definition::json, pin.by
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
    as pin(source, tool, hash, definition, by)
  join sources on sources.name = pin.source
  on conflict (source_id, tool) do update
    set hash = excluded.hash, definition = excluded.definition, accepted_by = excluded.accepted_by, accepted_at = now()`

/** These count from now on: the last of them, where a tool is named twice. Nothing for a source that is gone. */
export async function putPins(db: Database, pins: readonly Pin[]): Promise<void> {
  const last = [...new Map(pins.map((pin) => [JSON.stringify([pin.source, pin.tool]), pin])).values()]
  const values = [
    last.map(({ source }) => source),
    last.map(({ tool }) => tool),
    last.map(({ hash }) => hash),
    last.map(({ definition }) => JSON.stringify(definition)),
    last.map(({ by }) => by),
  ]
  await db.$client.query({ name: 'put_pins', text: putText, values })
}
