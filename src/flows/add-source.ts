import { BOARD_STREAM } from '#contract/event.ts'
import type { SourceConfig, SourceOrigin } from '#contract/source.ts'
import { noteAudit } from '#db/audit.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { insertSource } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'

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
  await lockStream(tx, BOARD_STREAM)
  const row = await insertSource(tx, { ...wanted, createdBy: by })
  const { name, machineId, origin, config } = wanted
  if (!row)
    throw new Problem(
      'source_name_taken',
      `There is already a source named ${name}: remove it first, or choose another name`,
      { name },
    )
  await tellBoard(tx, boardEvent('mcpAdded', { name, by }))
  const detail = { machineId, origin, transport: config.transport }
  await noteAudit(tx, { kind: 'source', actor: by, subject: `add ${name}`, outcome: 'ok', detail })
  return row
}
