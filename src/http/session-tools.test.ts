import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import type { PolicyRule } from '#contract/approval.ts'
import { frameCutter } from '#contract/sse-frame.ts'
import { audit, sessions, workspaces } from '#db/schema.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { bareApp } from '../../test/support/bare-app.ts'
import { ada, bob, openStaffedRegistry } from '../../test/support/registry.ts'
import type { Answer } from '../../test/support/registry.ts'
import { auditRoutes } from './audit.ts'
import { sessionToolsRoutes } from './session-tools.ts'

const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const listed = { path: '.', entries: [], truncated: false, executionTime: 0.1 }
const ran = { stdout: 'x', stderr: '', exitCode: 0, signal: null, timedOut: false, executionTime: 5 }

interface Asked {
  path: string
}

/** The routes of tools before a worker that answers as it is told. */
async function openTools() {
  const box = await openStaffedRegistry()
  const { pool, worker } = box
  const policies: {
    default?: { rules: { tool: string; argument: string; decision: PolicyRule['effect'] }[] }
  } = {}
  let caller: Principal = owner
  const app = bareApp()
    .use(async (c, next) => {
      c.set('principal', caller)
      await next()
    })
    .route('/', sessionToolsRoutes({ pool, settings: { current: () => ({ policies: policies as never }) } }))
    .route('/', auditRoutes({ pool }))

  async function send(who: Principal, method: string, path: string, body?: unknown): Promise<Response> {
    caller = who
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    return app.request(path, { method, ...(body !== undefined && json) })
  }
  async function as(who: Principal, method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await send(who, method, path, body)
    return { status: answer.status, body: await answer.json() }
  }
  const agent = await box.agent({})
  const open = async (who: Principal = owner): Promise<string> =>
    (await box.as(who, 'POST', '/sessions', { agentId: agent.id })).body.data.id
  const session = await open()
  worker.asked.length = 0
  worker.answer = () => ({ data: listed })
  return {
    ...box,
    as,
    agent,
    open,
    session,
    policies,
    tool: (name: string, input: unknown, who: Principal = owner) =>
      as(who, 'POST', `/sessions/${session}/tools/${name}`, input),
    stream: async (answer: string) => {
      worker.answer = () => answer
      const input = { command: 'true', stream: true }
      const response = await send(owner, 'POST', `/sessions/${session}/tools/command`, input)
      return frameCutter()(await response.text()).map(({ event, data }) => [event, JSON.parse(data)])
    },
    questions: () =>
      (worker.asked as Asked[]).map(({ path }) => Object.fromEntries(new URL(path, 'http://x').searchParams)),
    /** Of calls; what is noted of the rules themselves is told elsewhere. */
    notes: async () =>
      (await pool.db.select().from(audit).orderBy(audit.id))
        .filter(({ subject }) => !subject.startsWith('rule '))
        .map(noted),
    change: (row: Partial<typeof workspaces.$inferInsert>) => pool.db.update(workspaces).set(row),
  }
}

const noted = ({ subject, outcome, detail }: typeof audit.$inferSelect) => [subject, outcome, detail]

describe('a call of a tool', () => {
  test('goes to the machine of the workspace, with what tells whether that has changed', async () => {
    const { tool, questions, session, change } = await openTools()
    const ask = () => tool('output', { handle: 'h' })
    await ask()
    await change({ usedAt: new Date(), diskBytes: 5 })
    await ask()
    await change({ ports: [8000] })
    await ask()
    const [first, used, changed] = questions()
    expect(first).toMatchObject({ sessionId: session, tool: 'output', limitMs: '60000' })
    expect(first?.['workspaceId']).toBeDefined()
    expect(used).toEqual(first)
    expect(changed?.['stamp']).not.toBe(first?.['stamp'])
  })

  test('in a session that has not been anywhere leaves its place to the machine of its agent', async () => {
    const { tool, questions, pool, session } = await openTools()
    await pool.db.update(sessions).set({ workspaceId: null }).where(eq(sessions.id, session))
    await tool('output', { handle: 'h' })
    expect(Object.keys(questions()[0]!)).toEqual(['sessionId', 'tool', 'limitMs'])
    await pool.db.update(sessions).set({ agentId: null }).where(eq(sessions.id, session))
    expect(codeOf(await tool('list', {}))).toEqual([503, 'machine_unavailable'])
  })

  test('is not even asked for in what is another’s, in the trash, or without the scope', async () => {
    const { as, tool, open, pool, change, session, worker } = await openTools()
    const hers = await open(ada)
    worker.asked.length = 0
    const list = (who: Principal, id: string) => as(who, 'POST', `/sessions/${id}/tools/list`, {})
    expect(codeOf(await list(bob, hers))).toEqual([404, 'session_not_found'])
    expect(codeOf(await list(ada, session))).toEqual([404, 'session_not_found'])
    const onlooker = asPrincipal({ id: ada.id, name: 'Ada', scopes: ['board', 'chat'] })
    expect(codeOf(await list(onlooker, hers))).toEqual([403, 'forbidden'])
    await change({ state: 'trashed' })
    expect(codeOf(await tool('list', {}))).toEqual([409, 'workspace_trashed'])
    await change({ state: 'ready' })
    await pool.db.update(sessions).set({ trashedAt: new Date() })
    expect(codeOf(await tool('list', {}))).toEqual([409, 'session_trashed'])
    expect(worker.asked).toEqual([])
  })

  test('tells what the machine refuses as it is, and what it does not know of as a failure of the machine', async () => {
    const { tool, worker, notes } = await openTools()
    worker.status = 400
    const error = { code: 'no_match', message: 'not there', context: { nearest: 'there' } }
    worker.answer = () => ({ error })
    const refused = await tool('edit', { path: 'a', find: 'b', replace: 'c' })
    expect([refused.status, refused.body.error]).toEqual([422, error])
    worker.answer = () => ({ error: { code: 'explosion', message: 'at node:internal' } })
    const failed = await tool('list', {})
    expect([...codeOf(failed), failed.body.error.message]).toEqual([
      503,
      'machine_unavailable',
      expect.not.stringContaining('node:internal'),
    ])
    expect(await notes()).toEqual([
      ['edit', 'refused', { path: 'a', code: 'no_match' }],
      ['list', 'failed', { path: '.', code: 'machine_unavailable' }],
    ])
  })

  test.each([
    ['of another shape', { data: { ...listed, entries: 'none' } }],
    ['of no shape', { data: null }],
    ['that is no JSON', 'hello'],
  ])('with an answer %s is a failure of the workspace', async (_, answer) => {
    const { tool, worker, notes } = await openTools()
    worker.answer = () => answer
    expect(codeOf(await tool('list', {}))).toEqual([502, 'workspace_failed'])
    expect((await notes()).at(-1)).toEqual(['list', 'failed', { path: '.', code: 'workspace_failed' }])
  })

  test('passes on only what is in the contract, and reads no endless answer', async () => {
    const { tool, worker } = await openTools()
    worker.answer = () => ({ data: { ...listed, surprise: 1 } })
    expect((await tool('list', {})).body).toEqual({ data: listed })
    const content = 'x'.repeat(65 * 1024 * 1024)
    worker.answer = () => ({ data: { content } })
    expect(codeOf(await tool('read', { path: 'a' }))).toEqual([503, 'machine_unavailable'])
  })
})

describe('a command', () => {
  test('is held up by rules for its agent, for all, and of the configuration', async () => {
    const { tool, call, agent, worker, policies, notes } = await openTools()
    worker.answer = () => ({ data: ran })
    await call('POST', '/policies/rules', { tool: 'command', argument: 'a *', effect: 'deny' })
    await call('POST', '/policies/rules', { tool: 'c*', argument: 'b *', effect: 'ask', agentId: agent.id })
    policies.default = { rules: [{ tool: 'command', argument: 'c *', decision: 'deny' }] }
    const run = (command: string, more: object = {}, who = owner) =>
      tool('command', { command, ...more }, who)
    expect(codeOf(await run('a x', { confirm: true }))).toEqual([403, 'command_refused'])
    expect(codeOf(await run('b x'))).toEqual([409, 'command_needs_confirm'])
    expect(codeOf(await run('c x'))).toEqual([403, 'command_refused'])
    const itself = { ...owner, kind: 'agent' } as unknown as Principal
    expect((await run('b x', { confirm: true }, itself)).status).not.toBe(200)
    expect(worker.asked).toEqual([])
    expect((await run('b x', { confirm: true })).status).toBe(200)
    expect((await run('d x', { confirm: true }, itself)).status).toBe(200)
    expect((worker.asked as { confirm: boolean }[]).map(({ confirm }) => confirm)).toEqual([true, false])
    expect((await notes())[0]).toEqual([
      'command',
      'refused',
      { command: 'a x', timeout: 30_000, code: 'command_refused' },
    ])
  })

  test('is kept without its secrets, and at most a thousand characters of it', async () => {
    const { tool, worker, notes } = await openTools()
    worker.answer = () => ({ data: ran })
    const command = `curl -H 'Authorization: Bearer abcdefghijkl' ${'x'.repeat(5_000)}`
    await tool('command', { command, env: { A: 'hidden' } })
    const [[, , detail]] = (await notes()) as [[string, string, { command: string }]]
    expect(detail.command.length).toBeLessThanOrEqual(1_001)
    expect(JSON.stringify(detail)).not.toMatch(/abcdefghijkl|hidden/)
  })

  test('that is streamed ends with a result or an error, whatever the inside says', async () => {
    const { stream, notes } = await openTools()
    const line = (piece: object) => `${JSON.stringify(piece)}\n`
    const said = line({ type: 'stdout', text: 'hi' })
    const result = line({ type: 'result', result: { ...ran, secret: 1 } })
    expect(await stream(said + line({ type: 'progress', elapsedMs: 5 }) + result)).toEqual([
      ['stdout', { text: 'hi' }],
      ['progress', { elapsedMs: 5 }],
      ['result', ran],
    ])
    const strange = line({ type: 'error', error: { code: 'unauthenticated', message: 'x'.repeat(5_000) } })
    const failed = ['error', expect.objectContaining({ code: 'workspace_failed' })]
    expect(await stream(strange)).toEqual([
      ['error', { code: 'workspace_failed', message: 'x'.repeat(1_000) }],
    ])
    for (const broken of ['', said + 'garbage\n', said + '{"type":"exit"}\n' + result])
      expect((await stream(broken)).at(-1)).toEqual(failed)
    const refused = line({ type: 'error', error: { code: 'path_not_found', message: 'no folder' } })
    expect(await stream(refused)).toEqual([['error', { code: 'path_not_found', message: 'no folder' }]])
    const asked = { command: 'true', timeout: 30_000, stream: true }
    expect((await notes()).map(([, outcome, detail]) => [outcome, detail])).toEqual([
      ['ok', { ...asked, exitCode: 0 }],
      ...Array.from({ length: 4 }, () => ['failed', { ...asked, code: 'workspace_failed' }]),
      ['refused', { ...asked, code: 'path_not_found' }],
    ])
  })

  test('that is streamed stands in the audit from its beginning', async () => {
    const { tool, worker, notes } = await openTools()
    const seen = Promise.withResolvers<unknown>()
    worker.answer = async () => {
      seen.resolve(await notes())
      return ''
    }
    await tool('command', { command: 'true', stream: true }).catch(() => undefined)
    expect(await seen.promise).toMatchObject([['command', 'failed', { code: 'unfinished' }]])
  })
})

test('what happened is told to those whose session it was, newest first, in pages', async () => {
  const { as, open, tool, worker } = await openTools()
  const hers = await open(ada)
  await as(ada, 'POST', `/sessions/${hers}/tools/list`, {})
  await tool('list', { path: 'a' })
  worker.status = 500
  await tool('list', { path: 'b' })
  const audited = async (who: Principal, query = '') => (await as(who, 'GET', `/audit${query}`)).body
  const all = await audited(owner, '?pageSize=2')
  expect(all.meta).toEqual({ total: 3, page: 1, pageSize: 2 })
  expect(all.data.map(({ detail }: { detail: { path: string } }) => detail.path)).toEqual(['b', 'a'])
  expect((await audited(owner, '?outcome=failed')).meta.total).toBe(1)
  expect((await audited(owner, `?sessionId=${hers}&kind=tool`)).meta.total).toBe(1)
  expect((await audited(owner, '?kind=egress')).data).toEqual([])
  expect((await audited(ada)).data).toEqual([expect.objectContaining({ sessionId: hers, actor: ada.id })])
  expect((await audited(bob)).data).toEqual([])
  expect((await as(bob, 'GET', '/usage')).body.data).toMatchObject({ calls: 0, parts: [] })
  expect((await as(owner, 'GET', '/usage')).body.data).toMatchObject({
    calls: 3,
    failed: 1,
    parts: [{ tool: 'list', calls: 3, failed: 1 }],
  })
  const bySession = (await as(owner, 'GET', '/usage?by=session')).body.data
  expect(bySession.parts).toMatchObject([{ calls: 2 }, { calls: 1, sessionId: hers, costUsd: 0 }])
  expect((await as(owner, 'GET', `/usage?sessionId=${newId()}`)).body.data.calls).toBe(0)
})
