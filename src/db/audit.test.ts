import { expect, test } from 'vitest'
import { removeOldAudit } from '#flows/remove-old-audit.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { openAuditBook } from './audit-book.ts'
import { listAudit } from './audit-reads.ts'
import { amendAudit, noteAudit, noteAudits } from './audit.ts'
import { audit } from './schema.ts'

const paging = { page: 1, pageSize: 500 }
const note = (subject: string, detail: Record<string, unknown> = {}) => ({
  kind: 'tool' as const,
  actor: 'owner',
  subject,
  outcome: 'ok' as const,
  detail,
})

test('keeps what it is told, whatever characters are in it', async () => {
  const { db } = await freshPool()
  const workspaceId = newId()
  await noteAudit(db, { ...note('re\0ad', { path: 'a\0b\ud800' }), workspaceId, durationMs: 1.5 })
  const { data } = await listAudit(db, { ...paging, workspaceId })
  expect(data).toMatchObject([
    { subject: 're�ad', detail: { path: 'a\0b\ud800' }, durationMs: 1.5, workspaceId },
  ])
})

test('gives numbers in their order, and tells later what came of it', async () => {
  const { db } = await freshPool()
  const ids = await noteAudits(db, [note('a'), note('b'), note('c')])
  await amendAudit(db, ids[1]!, { outcome: 'failed', durationMs: 2, detail: { code: 'x' } })
  const { data } = await listAudit(db, paging)
  expect(data.map(({ id }) => id)).toEqual(ids.toReversed())
  expect(data[1]).toMatchObject({ subject: 'b', outcome: 'failed', detail: { code: 'x' } })
})

test('the book answers when a note is committed, and writes those that wait together', async () => {
  const { db } = await freshPool()
  const book = openAuditBook(db)
  const ids = await Promise.all(
    Array.from({ length: 1_200 }, async (_, index) => {
      const id = await book.note(note(`call ${index}`))
      return id
    }),
  )
  expect(new Set(ids).size).toBe(1_200)
  expect(await db.$count(audit)).toBe(1_200)
  const { rows } = await db.$client.query('select count(distinct xmin::text)::int as n from audit')
  expect(rows[0].n).toBeLessThanOrEqual(5)
})

test('the book rejects what cannot be written, and goes on', async () => {
  const { db } = await freshPool()
  const book = openAuditBook(db)
  await expect(book.note({ ...note('x'), workspaceId: 'no uuid' })).rejects.toThrow(/uuid/)
  expect(await book.note(note('y'))).toBeGreaterThan(0)
})

test('what is older than it is kept for is removed', async () => {
  const pool = await freshPool()
  await noteAudits(pool.db, [note('old'), note('new')])
  const day = 24 * 60 * 60 * 1000
  await pool.db.$client.query(`update audit set at = now() - interval '31 days' where subject = 'old'`)
  expect(await removeOldAudit(pool, 32)).toBe(0)
  expect(await removeOldAudit(pool, 30)).toBe(1)
  expect((await listAudit(pool.db, paging)).data.map(({ subject }) => subject)).toEqual(['new'])
  expect(await removeOldAudit(pool, 30, { now: new Date(Date.now() + 31 * day) })).toBe(1)
})
