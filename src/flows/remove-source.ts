import { BOARD_STREAM } from '#contract/event.ts'
import { noteAudit } from '#db/audit.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { deleteSource } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { theLockedSource } from './find-source.ts'

/** With what was accepted of it, and with what upstreams gave us there. */
export async function removeSource(tx: Tx, by: string, name: string): Promise<SourceRow> {
  await lockStream(tx, BOARD_STREAM)
  const row = await theLockedSource(tx, name)
  await deleteSource(tx, row.id)
  await tellBoard(tx, boardEvent('source.removed', { name, by }))
  const detail = { machineId: row.machineId, origin: row.origin }
  await noteAudit(tx, { kind: 'source', actor: by, subject: `remove ${name}`, outcome: 'ok', detail })
  return row
}
