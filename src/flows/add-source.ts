import { BOARD_STREAM } from '#contract/event.ts'
import type { SourceConfig, SourceOrigin } from '#contract/source.ts'
import { noteAudits } from '#db/audit.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { insertSources } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'
import { nameForAll } from '#domain/source.ts'

export interface NewSource {
  id: string
  name: string
  machineId: string
  origin: SourceOrigin
  /** Its secrets are only said to be there; they are in `secrets`, sealed by its machine. */
  config: SourceConfig
  secrets: Buffer | null
}

/** `wanted` has passed its machine. */
export async function addSource(tx: Tx, by: string, wanted: NewSource): Promise<SourceRow> {
  const [row] = await addSources(tx, by, [wanted])
  if (!row) throw nameTaken(wanted.name)
  return row
}

/** All at once. Those whose names are taken are left out. */
export async function addSources(tx: Tx, by: string, wanted: readonly NewSource[]): Promise<SourceRow[]> {
  await lockStream(tx, BOARD_STREAM)
  const rows = await insertSources(
    tx,
    wanted.map((one) => ({ ...one, createdBy: by })),
  )
  await tellBoard(
    tx,
    ...rows.map(({ name, config }) => boardEvent('mcpAdded', { name: nameForAll(name, config), by })),
  )
  const notes = rows.map(({ name, machineId, origin, config: { transport } }) => ({
    kind: 'source' as const,
    actor: by,
    subject: `add ${name}`,
    outcome: 'ok' as const,
    detail: { machineId, origin, transport },
  }))
  await noteAudits(tx, notes)
  return rows
}

export const nameTaken = (name: string): Problem =>
  new Problem(
    'source_name_taken',
    `There is already a source named ${name}: remove it first, or choose another name`,
    { name },
  )
