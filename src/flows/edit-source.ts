import { BOARD_STREAM } from '#contract/event.ts'
import type { SourceConfig } from '#contract/source.ts'
import { noteAudit } from '#db/audit.ts'
import { lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { updateSource } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { theLockedSource } from './find-source.ts'

interface Change {
  config: SourceConfig
  /** Left out: as they are. */
  secrets?: Buffer | null
}

/** What becomes of it is said by `change`, which sees it as it is now. What changed in health and tools is told by its machine. */
export async function editSource(
  tx: Tx,
  by: string,
  name: string,
  change: (row: SourceRow) => Change,
): Promise<SourceRow> {
  await lockStream(tx, BOARD_STREAM)
  const before = await theLockedSource(tx, name)
  const row = await updateSource(tx, before.id, change(before))
  const detail = { changed: changedIn(before, row) }
  await noteAudit(tx, { kind: 'source', actor: by, subject: `change ${name}`, outcome: 'ok', detail })
  return row
}

const changedIn = (before: SourceRow, after: SourceRow): string[] =>
  Object.keys({ ...before.config, ...after.config }).filter(
    (key) =>
      JSON.stringify(before.config[key as keyof SourceConfig]) !==
      JSON.stringify(after.config[key as keyof SourceConfig]),
  )
