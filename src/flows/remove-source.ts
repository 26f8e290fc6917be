import { BOARD_STREAM } from '#contract/event.ts'
import { noteAudits } from '#db/audit.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { deleteSources, lockSources } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { nameForAll } from '#domain/source.ts'
import { sourceGone } from './find-source.ts'

/** With what was accepted of it, and with what upstreams gave us there. */
export async function removeSource(tx: Tx, by: string, name: string): Promise<SourceRow> {
  const [row] = await removeSources(tx, by, [name])
  if (!row) throw sourceGone(name)
  return row
}

/** All at once. Those that are gone are left out. */
export async function removeSources(tx: Tx, by: string, names: readonly string[]): Promise<SourceRow[]> {
  await lockStream(tx, BOARD_STREAM)
  const rows = await lockSources(tx, names)
  await deleteSources(
    tx,
    rows.map(({ id }) => id),
  )
  await tellBoard(
    tx,
    ...rows.map(({ name, config }) => boardEvent('source.removed', { name: nameForAll(name, config), by })),
  )
  const notes = rows.map(({ name, machineId, origin }) => ({
    kind: 'source' as const,
    actor: by,
    subject: `remove ${name}`,
    outcome: 'ok' as const,
    detail: { machineId, origin },
  }))
  await noteAudits(tx, notes)
  return rows
}
