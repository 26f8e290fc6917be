import { BOARD_STREAM } from '#contract/event.ts'
import type { SourceConfig } from '#contract/source.ts'
import { noteAudits } from '#db/audit.ts'
import type { AuditNote } from '#db/audit.ts'
import { lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { lockSources, updateSource } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { sourceGone } from './find-source.ts'

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
  const [row] = await editSources(tx, by, [name], change)
  if (!row) throw sourceGone(name)
  return row
}

/** All at once. Those that are gone are left out. */
export async function editSources(
  tx: Tx,
  by: string,
  names: readonly string[],
  change: (row: SourceRow) => Change,
): Promise<SourceRow[]> {
  await lockStream(tx, BOARD_STREAM)
  const [rows, notes]: [SourceRow[], AuditNote[]] = [[], []]
  for (const before of await lockSources(tx, names)) {
    const row = await updateSource(tx, before.id, change(before))
    const detail = { changed: changedIn(before, row) }
    rows.push(row)
    notes.push({ kind: 'source', actor: by, subject: `change ${row.name}`, outcome: 'ok', detail })
  }
  await noteAudits(tx, notes)
  return rows
}

const changedIn = (before: SourceRow, after: SourceRow): string[] =>
  Object.keys({ ...before.config, ...after.config }).filter(
    (key) =>
      JSON.stringify(before.config[key as keyof SourceConfig]) !==
      JSON.stringify(after.config[key as keyof SourceConfig]),
  )
