import { beforeEach, expect, it } from 'vitest'
import { noteAudits } from '#db/audit.ts'
import type { AuditNote } from '#db/audit.ts'
import { insertSession } from '#db/sessions.ts'
import { owner } from '#domain/access.ts'
import type { Principal } from '#contract/access.ts'
import { newId } from '#lib/id.ts'
import { ada, bob } from '../../test/support/registry.ts'
import { bareApp } from '../../test/support/bare-app.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { auditRoutes } from './audit.ts'

let pool: Awaited<ReturnType<typeof freshPool>>
let sessionId: string
beforeEach(async () => {
  pool = await freshPool()
  sessionId = newId()
  await pool.transaction((tx) => insertSession(tx, { id: sessionId, title: 'Work', createdBy: ada.id }))
})

const note = (subject: string, more: Partial<AuditNote> = {}): AuditNote => ({
  kind: 'tool',
  actor: 'owner',
  subject,
  outcome: 'ok',
  ...more,
})
async function ask(path: string, by: Principal = owner) {
  const app = bareApp()
    .use(async (c, next) => {
      c.set('principal', by)
      await next()
    })
    .route('/', auditRoutes({ pool }))
  const answer = await app.request(path)
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}
const subjects = async (query: string, by?: Principal) =>
  (JSON.parse((await ask(`/audit${query}`, by)).text) as { data: { subject: string }[] }).data.map(
    ({ subject }) => subject,
  )

it('finds by words, by who did it, and by when', async () => {
  await noteAudits(pool.db, [
    note('read', { detail: { path: 'src/100%_sure.ts' } }),
    note('command', { detail: { command: 'git push' }, actor: ada.id }),
    note('egress.example.com:443', { kind: 'egress', outcome: 'refused' }),
  ])
  expect(await subjects('?q=PUSH')).toEqual(['command'])
  expect(await subjects('?q=command%20git')).toEqual(['command'])
  expect(await subjects('?q=command%20read')).toEqual([])
  expect(await subjects('?q=100%25_')).toEqual(['read'])
  expect(await subjects('?q=10_%25_sure')).toEqual([])
  expect(await subjects(`?actor=${ada.id}`)).toEqual(['command'])
  expect(await subjects('?kind=egress&outcome=refused')).toEqual(['egress.example.com:443'])
  await pool.db.$client.query("update audit set at = now() - interval '2 days' where subject = 'read'")
  const yesterday = new Date(Date.now() - 86_400_000).toISOString()
  expect(await subjects(`?until=${yesterday}`)).toEqual(['read'])
  expect(await subjects(`?from=${yesterday}`)).toEqual(['egress.example.com:443', 'command'])
  expect((await ask('/audit?from=yesterday')).status).toBe(422)
  expect((await ask('/audit?colour=red')).status).toBe(422)
})

it('is exported whole, in more than one part, as lines of JSON or as a table', async () => {
  await noteAudits(
    pool.db,
    Array.from({ length: 2_500 }, (_, number) => note(`call ${number}`)),
  )
  const { text, headers } = await ask('/audit/export')
  const lines = text.trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { subject: string }).subject)).toEqual(
    Array.from({ length: 2_500 }, (_, number) => `call ${2_499 - number}`),
  )
  expect(headers.get('content-disposition')).toContain('signalbox-audit.ndjson')
  const table = await ask('/audit/export?format=csv&q=%20call%2019&outcome=ok')
  expect(table.text.split('\r\n')[0]).toBe(
    'id,at,kind,actor,subject,outcome,durationMs,sessionId,workspaceId,detail',
  )
  expect(table.text.trimEnd().split('\r\n')).toHaveLength(1 + 154)
  expect((await ask('/audit/export?format=xml')).status).toBe(422)
})

it('gives a spreadsheet no formula, whatever agents wrote', async () => {
  await noteAudits(pool.db, [note('=HYPERLINK("http://evil")'), note('+1, "quoted"\nand more')])
  const { text } = await ask('/audit/export?format=csv')
  expect(text).toContain(`"'=HYPERLINK(""http://evil"")"`)
  expect(text).toContain(`"'+1, ""quoted""\nand more"`)
})

it('shows others what happened in their own sessions, exported too', async () => {
  await noteAudits(pool.db, [
    note('hers', { sessionId }),
    note('nobody’s'),
    note('user added', { kind: 'user' }),
  ])
  expect(await subjects('', ada)).toEqual(['hers'])
  expect(await subjects('', bob)).toEqual([])
  expect(await subjects('?q=nobody', ada)).toEqual([])
  const { text } = await ask('/audit/export', ada)
  expect(text.trimEnd().split('\n')).toHaveLength(1)
  expect((await ask('/audit/export', bob)).text).toBe('')
  expect((await ask('/audit/export', { ...bob, scopes: ['chat'] })).status).toBe(403)
})
