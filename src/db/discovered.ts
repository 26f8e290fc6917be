import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { FoundProgram, ProgramSchema } from '#contract/discovery.ts'
import { newId } from '#lib/id.ts'
import type { Database, Tx } from './pool.ts'
import { discovered } from './schema.ts'

export type DiscoveredRow = typeof discovered.$inferSelect

/** What a look says of a program. */
export type SeenFacts = Pick<
  FoundProgram,
  | 'path'
  | 'name'
  | 'realPath'
  | 'package'
  | 'packageSource'
  | 'version'
  | 'description'
  | 'class'
  | 'confidence'
  | 'preset'
  | 'danger'
  | 'uses'
  | 'aliases'
>

const facts = `name, real_path, package, package_source, version, description, class, confidence, preset, danger, uses, aliases`

// A program that has changed may have other commands, and says another version.
const isSame = `(discovered.real_path, discovered.version) is not distinct from (excluded.real_path, excluded.version)`

const keepText = `
  insert into discovered (id, machine_id, path, ${facts}, seen_at)
  select id, $1, path, ${facts}, now()
  from json_to_recordset($2::json) as seen(
    id uuid, path text, name text, real_path text, package text, package_source text, version text, description text,
    class text, confidence double precision, preset text, danger integer, uses integer, aliases text[])
  on conflict (machine_id, path) do update set
    (${facts}) = row(${facts
      .split(', ')
      .map((fact) => `excluded.${fact}`)
      .join(', ')}),
    told_version = case when ${isSame} then discovered.told_version end,
    described_at = case when ${isSame} then discovered.described_at end,
    gone_at = null,
    seen_at = excluded.seen_at
  returning xmax = 0 as "isNew"`

/** Writes down what is there; what people said about it stays. Answers with how many were not known before. */
export async function keepSeen(tx: Tx, machineId: string, seen: readonly SeenFacts[]): Promise<number> {
  const rows = seen.map((program) => ({
    id: newId(),
    path: program.path,
    name: program.name,
    real_path: storable(program.realPath),
    package: storable(program.package),
    package_source: program.packageSource,
    version: storable(program.version),
    description: storable(program.description),
    class: program.class,
    confidence: program.confidence,
    preset: program.preset,
    danger: program.danger,
    uses: program.uses,
    aliases: program.aliases.map(storable),
  }))
  const values = [machineId, JSON.stringify(rows)]
  const { rows: kept } = await tx.$client.query<{ isNew: boolean }>({ text: keepText, values })
  return kept.filter(({ isNew }) => isNew).length
}

/** Files of others say whatever they like. */
const storable = <Text extends string | null>(text: Text) =>
  (text === null ? null : text.slice(0, 4_096).toWellFormed().replaceAll('\0', '�')) as Text

/** All that are not among these paths are gone, from now on. Answers with how many are so only now. */
export async function markGone(tx: Tx, machineId: string, there: readonly string[]): Promise<number> {
  const { rowCount } = await tx.$client.query({
    text: `update discovered set gone_at = now()
      where machine_id = $1 and gone_at is null and not exists (select 1 from unnest($2::text[]) as there(path) where there.path = discovered.path)`,
    values: [machineId, there],
  })
  return rowCount ?? 0
}

/** Those that a look may not have seen although somebody relies on them. */
export async function pathsOfConfirmed(db: Database, machineId: string): Promise<string[]> {
  const rows = await db
    .select({ path: discovered.path })
    .from(discovered)
    .where(and(eq(discovered.machineId, machineId), sql`${discovered.agentId} is not null`))
  return rows.map(({ path }) => path)
}

export async function findDiscovered(db: Database | Tx, id: string): Promise<DiscoveredRow | undefined> {
  const [row] = await db.select().from(discovered).where(eq(discovered.id, id))
  return row
}

export function findManyDiscovered(db: Database | Tx, ids: readonly string[]): Promise<DiscoveredRow[]> {
  return db
    .select()
    .from(discovered)
    .where(inArray(discovered.id, [...ids]))
}

/** In one order, so that two who want the same ones come one after the other. */
export function lockDiscovered(tx: Tx, ids: readonly string[]): Promise<DiscoveredRow[]> {
  return tx
    .select()
    .from(discovered)
    .where(inArray(discovered.id, [...ids]))
    .orderBy(asc(discovered.id))
    .for('update')
}

export async function updateDiscovered(
  tx: Tx,
  ids: readonly string[],
  change: { agentId?: string; isHidden: boolean },
): Promise<void> {
  await tx
    .update(discovered)
    .set(change)
    .where(inArray(discovered.id, [...ids]))
}

export interface Description {
  schema: ProgramSchema | null
  /** Why there is none, or not more. */
  trouble: string | null
  /** Whether that is to be found out again, when somebody asks next. */
  isFinal: boolean
  version: string | undefined
}

/** What it can be asked for, found out now. What was known before is kept where nothing could be found out. */
export async function keepDescription(
  db: Database | Tx,
  id: string,
  { schema, trouble, version, isFinal }: Description,
): Promise<DiscoveredRow | undefined> {
  const [whole] = schema?.commands ?? []
  const known = schema && {
    schema,
    schemaSource: schema.source,
    subcommands: [...new Set(schema.commands.flatMap(({ words }) => words.slice(0, 1)))],
    options: whole?.words.length === 0 ? whole.options.flatMap(({ names }) => names) : [],
  }
  const [row] = await db
    .update(discovered)
    .set({
      ...known,
      ...(version !== undefined && { toldVersion: storable(version) }),
      schemaTrouble: storable(trouble),
      ...(isFinal && { describedAt: sql`now()` }),
    })
    .where(eq(discovered.id, id))
    .returning()
  return row
}

/** The coding agents and what people here use most, as far as nobody has looked at what they can be asked for. */
export function programsToDescribe(db: Database, machineId: string, most: number): Promise<DiscoveredRow[]> {
  const isWanted = sql`(${discovered.preset} is not null or ${discovered.id} in (
    select id from discovered where machine_id = ${machineId} and gone_at is null and uses > 0
    order by uses desc, name limit ${most}))`
  return db
    .select()
    .from(discovered)
    .where(
      and(
        eq(discovered.machineId, machineId),
        isNull(discovered.goneAt),
        isNull(discovered.describedAt),
        isWanted,
      ),
    )
    .orderBy(sql`${discovered.preset} is null, ${discovered.uses} desc, ${discovered.name}`)
}
