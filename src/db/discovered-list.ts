import { and, eq, getTableColumns, isNotNull, isNull, or, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { DescribedProgram, DiscoveryQuery, FoundProgram, FoundState } from '#contract/discovery.ts'
import type { DiscoveredRow } from './discovered.ts'
import type { Database } from './pool.ts'
import { discovered } from './schema.ts'

// What a program can be asked for is long: where many are listed it is not read.
const { schema: _long, ...columns } = getTableColumns(discovered)

const stateOf = ({ agentId, isHidden }: Pick<DiscoveredRow, 'agentId' | 'isHidden'>): FoundState =>
  agentId !== null ? 'confirmed' : isHidden ? 'hidden' : 'found'

export function asFound(row: Omit<DiscoveredRow, 'schema'>): FoundProgram {
  return {
    id: row.id,
    machineId: row.machineId,
    path: row.path,
    name: row.name,
    realPath: row.realPath,
    package: row.package,
    packageSource: row.packageSource,
    version: row.toldVersion ?? row.version,
    description: row.description,
    class: row.class,
    confidence: row.confidence,
    preset: row.preset,
    subcommands: row.subcommands,
    options: row.options,
    schemaSource: row.schemaSource,
    schemaTrouble: row.schemaTrouble,
    danger: row.danger,
    uses: row.uses,
    aliases: row.aliases,
    state: stateOf(row),
    agentId: row.agentId,
    goneAt: row.goneAt?.toISOString() ?? null,
    seenAt: row.seenAt.toISOString(),
  }
}

export const asDescribed = (row: DiscoveredRow): DescribedProgram => ({ ...asFound(row), schema: row.schema })

/** Coding agents first, then what is used most; before all of them, what is called as it was sought. */
export async function listDiscovered(
  db: Database,
  { page, pageSize, machineId, q, class: kind, state, gone }: DiscoveryQuery,
): Promise<{ data: FoundProgram[]; total: number }> {
  const fits = and(
    machineId ? eq(discovered.machineId, machineId) : undefined,
    kind ? eq(discovered.class, kind) : undefined,
    inState(state),
    gone === undefined ? undefined : (gone === 'true' ? isNotNull : isNull)(discovered.goneAt),
    q ? mentions(q.toLowerCase()) : undefined,
  )
  const name = sql`lower(${discovered.name})`
  const sought = q?.toLowerCase() ?? ''
  const rows = await db
    .select(columns)
    .from(discovered)
    .where(fits)
    .orderBy(
      sql`${name} = ${sought} desc, starts_with(${name}, ${sought}) desc, ${discovered.preset} is null, ${discovered.uses} desc, ${name}, ${discovered.id}`,
    )
    .limit(pageSize)
    .offset((page - 1) * pageSize)
  return { data: rows.map(asFound), total: await db.$count(discovered, fits) }
}

function inState(state: FoundState | undefined): SQL | undefined {
  if (state === 'confirmed') return isNotNull(discovered.agentId)
  if (state === undefined) return or(isNotNull(discovered.agentId), eq(discovered.isHidden, false))
  return and(isNull(discovered.agentId), eq(discovered.isHidden, state === 'hidden'))
}

const mentions = (q: string): SQL =>
  sql`strpos(lower(concat_ws(E'\n', ${discovered.name}, array_to_string(${discovered.aliases}, E'\n'), ${discovered.package}, ${discovered.description})), ${q}) > 0`
