import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { AuditRecord } from '#contract/audit.ts'
import { audit } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { openAuditCopies } from './copy-audit.ts'

const workspaceId = newId()

const record = (offset: number, more: Partial<AuditRecord> = {}): AuditRecord => ({
  offset,
  at: new Date(1_700_000_000_000 + offset).toISOString(),
  kind: 'egress',
  workspaceId,
  sessionId: null,
  subject: `host-${offset}:443`,
  outcome: 'ok',
  detail: { bytesOut: offset },
  durationMs: 1,
  ...more,
})
const lines = (...records: AuditRecord[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('')

async function openCopies() {
  const pool = await freshPool()
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-audit-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const keeper = { id: newId(), folder }
  const parts = { pool, log: pino({ level: 'silent' }) }
  return {
    keeper,
    file: join(folder, 'audit.ndjson'),
    /** As a worker that has just begun. */
    copies: () => openAuditCopies(parts),
    rows: () => pool.db.select().from(audit).orderBy(audit.keeperOffset),
    count: () => pool.db.$count(audit),
    forget: async (offset: number) =>
      void (await pool.db.$client.query('delete from audit where keeper_offset > $1', [offset])),
  }
}

test('copies what was noted, as it was noted, and then what comes', async () => {
  const { keeper, file, copies, rows } = await openCopies()
  const { copy } = copies()
  await copy(keeper) // has noted nothing yet
  writeFileSync(file, lines(record(1), record(2, { outcome: 'refused', detail: { code: 'not_allowed' } })))
  await copy(keeper)
  expect(await rows()).toMatchObject([
    { subject: 'host-1:443', actor: keeper.id, workspaceId, kind: 'egress', keeperOffset: 1 },
    { outcome: 'refused', detail: { code: 'not_allowed' }, at: new Date(1_700_000_000_002) },
  ])
  appendFileSync(file, lines(record(3)))
  await copy(keeper)
  expect((await rows()).map(({ keeperOffset }) => keeperOffset)).toEqual([1, 2, 3])
})

test('copies each line once, whoever dies in between and however many do it', async () => {
  const { keeper, file, copies, count, forget } = await openCopies()
  const all = Array.from({ length: 2_500 }, (_, index) =>
    record(index + 1, { detail: { pad: 'x'.repeat(900) } }),
  )
  writeFileSync(file, lines(...all)) // more than is read at a time
  await copies().copy(keeper)
  expect(await count()).toBe(2_500)
  await copies().copy(keeper)
  expect(await count()).toBe(2_500)
  await forget(1_234) // as if the one before had been killed there
  await Promise.all([copies().copy(keeper), copies().copy(keeper)])
  expect(await count()).toBe(2_500)
})

test('waits for the end of a line, and passes over what is not understood', async () => {
  const { keeper, file, copies, rows } = await openCopies()
  const { copy } = copies()
  const [whole, half] = [lines(record(1)), lines(record(2))]
  writeFileSync(file, whole + half.slice(0, 20))
  await copy(keeper)
  expect((await rows()).length).toBe(1)
  writeFileSync(file, `${whole}${half}garbage\n{"offset":3}\n${lines(record(4, { subject: 'a\0b\ud800' }))}`)
  await copy(keeper)
  expect((await rows()).map(({ subject }) => subject)).toEqual(['host-1:443', 'host-2:443', 'a�b�'])
})
