import { and, eq } from 'drizzle-orm'
import type { AcceptedTool } from '#contract/tool.ts'
import type { Database } from './pool.ts'
import { sources, toolPins } from './schema.ts'

/** The definition of a tool as it was accepted, by the name of its source and its own. */
export async function findAcceptedTool(
  db: Database,
  source: string,
  tool: string,
): Promise<AcceptedTool | undefined> {
  const [row] = await db
    .select({ definition: toolPins.definition, at: toolPins.acceptedAt, by: toolPins.acceptedBy })
    .from(toolPins)
    .innerJoin(sources, eq(sources.id, toolPins.sourceId))
    .where(and(eq(sources.name, source), eq(toolPins.tool, tool)))
  return row && { definition: row.definition, acceptedAt: row.at.toISOString(), acceptedBy: row.by }
}
