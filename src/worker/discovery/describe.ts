import type { Logger } from 'pino'
import type { ProgramSchema } from '#contract/discovery.ts'
import { listCapabilities } from '#db/capabilities.ts'
import { keepDescription } from '#db/discovered.ts'
import type { DiscoveredRow } from '#db/discovered.ts'
import type { DatabasePool } from '#db/pool.ts'
import { isStillBare } from '#domain/found.ts'
import { LookerLost } from '#discovery/port.ts'
import type { AskModel, Discovery, SeenProgram } from '#discovery/port.ts'
import { giveCapabilities } from '#flows/confirm-found.ts'
import { theLockedAgent } from '#flows/find-agent.ts'
import type { CheckedCapabilities } from './capabilities.ts'

export interface DescribeNeeds {
  pool: DatabasePool
  log: Logger
  discovery: Discovery
  capabilities: CheckedCapabilities
}

export interface DescribeHow {
  model?: AskModel
  signal: AbortSignal
}

/**
 * Finds out what a program can be asked for, and keeps it, or why nothing is known; where the machine stood in the way it is
 * found out again the next time. Its agent, if it has one that can only be run
 * as a whole, can be asked for the same from then on. Rejects when it was called off, and with
 * LookerLost: nothing is kept then.
 */
export async function describeProgram(
  needs: DescribeNeeds,
  row: DiscoveredRow,
  { model, signal }: DescribeHow,
): Promise<DiscoveredRow> {
  const program = seenOf(row)
  let silence: string | null = null
  let unasked: string | null = null
  const asked: AskModel | undefined =
    model &&
    ((question, until) =>
      model(question, until).catch((error: unknown) => {
        silence = wordsOf(error) // whoever asked for a model is told, also where something else is known
        throw error
      }))
  const [schema, version] = await Promise.allSettled([
    needs.discovery.describe(program, {
      signal,
      onUnasked: (why) => (unasked = why),
      ...(asked && { model: asked }),
    }),
    needs.discovery.version(program, signal),
  ])
  signal.throwIfAborted()
  for (const told of [schema, version])
    if (told.status === 'rejected' && told.reason instanceof LookerLost) throw told.reason
  const kept = await keepDescription(needs.pool.db, row.id, {
    // What is known from another time is more than what is known without asking.
    schema: schema.status === 'fulfilled' && (unasked === null || row.schema === null) ? schema.value : null,
    trouble: schema.status === 'rejected' ? wordsOf(schema.reason) : (silence ?? unasked),
    isFinal: unasked === null,
    version: version.status === 'fulfilled' ? version.value : undefined,
  })
  if (kept && kept.agentId !== null && kept.preset === null && schema.status === 'fulfilled')
    await teach(needs, kept, kept.agentId, schema.value)
  return kept ?? row
}

const seenOf = (row: DiscoveredRow): SeenProgram => ({
  path: row.path,
  name: row.name,
  realPath: row.realPath,
  package: row.package,
  packageSource: row.packageSource,
  version: row.version,
  description: row.description,
  class: row.class,
  confidence: row.confidence,
  preset: row.preset,
  danger: row.danger,
})

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function teach(
  { pool, capabilities }: DescribeNeeds,
  row: DiscoveredRow,
  agentId: string,
  schema: ProgramSchema,
): Promise<void> {
  if (!isStillBare(await listCapabilities(pool.db, agentId))) return
  const known = await capabilities(row, schema)
  await pool.transaction(async (tx) => {
    await theLockedAgent(tx, agentId)
    const now = await listCapabilities(tx, agentId)
    if (isStillBare(now))
      await giveCapabilities(
        tx,
        agentId,
        known.filter(({ key }) => key !== 'run'),
      )
  })
}
