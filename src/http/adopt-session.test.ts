import { asc, eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { BOARD_STREAM } from '#contract/event.ts'
import { lockStream } from '#db/events.ts'
import { events, sessions, workspaces } from '#db/schema.ts'
import { insertSession } from '#db/sessions.ts'
import { newId } from '#lib/id.ts'
import { untilOneWaits } from '../../test/support/postgres-locks.ts'
import { ada, openStaffedRegistry } from '../../test/support/registry.ts'

const found = {
  ref: 'ref-1',
  cwd: '/repo/app',
  title: 'Fix the\u202e build\n',
  startedAt: '2026-01-01T10:00:00.000Z',
  updatedAt: '2026-01-02T10:00:00.000Z',
  turns: 1,
  file: '/home/me/.claude/projects/app/ref-1.jsonl',
}
const said = {
  session: found,
  turns: [
    { role: 'user', text: 'Fix it\u0000', at: '2026-01-01T10:00:00.000Z' },
    { role: 'assistant', text: 'Done.', at: null },
  ],
  leftOut: 7,
  mark: 'uuid-9',
}

/** Its worker has one session in Claude's own history. */
async function openWithHistory() {
  const box = await openStaffedRegistry()
  const { worker } = box
  const claude = await box.agent({
    kind: 'coding',
    adapter: 'claude',
    binaryPath: '/usr/bin/claude',
    envAllowlist: ['CLAUDE_CONFIG_DIR'],
  })
  worker.asked.length = 0
  worker.answer = (question) => {
    const { ref, adapter } = question as { ref?: string; adapter?: string }
    return { data: adapter ? question : ref ? said : [found] }
  }
  const adopt = (more: object = {}) =>
    box.call('POST', '/sessions', { agentId: claude.id, adopt: 'ref-1', ...more })
  return { ...box, claude, adopt }
}

test('the owner sees what is in an agent’s own history, and which of it is a session already', async () => {
  const { call, as, claude, adopt, worker } = await openWithHistory()
  const list = async () => (await call('GET', `/sessions/outside?agentId=${claude.id}`)).body
  const { file: _file, ...shown } = found
  expect(await list()).toEqual({
    data: [{ ...shown, adoptedBy: null }],
    meta: { total: 1, page: 1, pageSize: 1 },
  })
  expect(worker.asked).toMatchObject([
    { path: '/outside-sessions', key: 'claude', envAllowlist: ['CLAUDE_CONFIG_DIR'] },
  ])
  const { id } = (await adopt()).body.data
  expect((await list()).data[0].adoptedBy).toBe(id)
  expect((await as(ada, 'GET', `/sessions/outside?agentId=${claude.id}`)).status).toBe(403)
})

test('an agent whose history nobody can read has none', async () => {
  const { call, agent, adopt, worker } = await openWithHistory()
  worker.answer = (question) => ({ data: question })
  const git = await agent()
  expect((await call('GET', `/sessions/outside?agentId=${git.id}`)).body.data).toEqual([])
  const { status, body } = await adopt({ agentId: git.id })
  expect([status, body.error.context.fields[0].field]).toEqual([422, 'adopt'])
})

test('adopting makes a session of it, where it was, with what was said, that can go on', async () => {
  const { adopt, pool, claude, capability, execution } = await openWithHistory()
  const { status, body } = await adopt()
  expect([status, body.data]).toEqual([
    201,
    expect.objectContaining({
      agentId: claude.id,
      title: 'Fix the build',
      sessionRef: 'ref-1',
      adoptedAt: expect.any(String),
      executions: 0,
    }),
  ])
  const [workspace] = await pool.db.select().from(workspaces).where(eq(workspaces.id, body.data.workspaceId))
  expect(workspace?.root).toBe('/repo/app')
  const stream = await pool.db
    .select({ type: events.type, payload: events.payload })
    .from(events)
    .where(eq(events.streamId, body.data.id))
    .orderBy(asc(events.seq))
  expect(stream).toEqual([
    { type: 'data-adopted', payload: { ref: 'ref-1', turns: 2, leftOut: 7, by: 'owner' } },
    {
      type: 'data-message',
      payload: {
        role: 'user',
        text: 'Fix it\u0000',
        files: [],
        by: null,
        imported: true,
        at: found.startedAt,
      },
    },
    { type: 'text-start', payload: { id: 'imported-2', imported: true } },
    { type: 'text-delta', payload: { id: 'imported-2', delta: 'Done.', imported: true } },
    { type: 'text-end', payload: { id: 'imported-2', imported: true } },
  ])
  const [row] = await pool.db.select().from(sessions).where(eq(sessions.id, body.data.id))
  expect([row?.historyFile, row?.historyMark]).toEqual([found.file, 'uuid-9'])
  const ask = await capability(claude.id, { interactionMode: 'prompt', commandTokens: null })
  const next = await execution(ask.id, { sessionId: body.data.id, prompt: 'And now?' })
  expect(next.workspaceId).toBe(body.data.workspaceId)
})

test('the same is not adopted twice, also not by another agent', async () => {
  const { adopt, agent, call } = await openWithHistory()
  const other = await agent({ adapter: 'claude', binaryPath: '/usr/bin/claude' })
  const { id } = (await adopt()).body.data
  await call('DELETE', `/sessions/${id}`)
  for (const more of [{}, { agentId: other.id }]) {
    const { status, body } = await adopt(more)
    expect([status, body.error.code, body.error.context]).toEqual([409, 'session_adopted', { sessionId: id }])
    expect(body.error.message).toContain('in the trash')
  }
})

test('whoever adopts waits for who is about to adopt the same', async () => {
  const { adopt, pool, agent } = await openWithHistory()
  const other = await agent({ adapter: 'claude', binaryPath: '/usr/bin/claude' })
  const adopting = await pool.transaction(async (tx) => {
    await lockStream(tx, BOARD_STREAM)
    const second = adopt()
    await Promise.race([untilOneWaits(pool), second])
    const first = { id: newId(), title: 'x', agentId: other.id, createdBy: 'owner', sessionRef: 'ref-1' }
    await insertSession(tx, first)
    return { second }
  })
  expect((await adopting.second).status).toBe(409)
})

test('only the owner adopts, and nobody moves it meanwhile', async () => {
  const { as, claude, adopt, worker } = await openWithHistory()
  const refused = await as(ada, 'POST', '/sessions', { agentId: claude.id, adopt: 'ref-1' })
  expect([refused.status, worker.asked]).toEqual([403, []])
  const { status, body } = await adopt({ workspaceId: claude.id })
  expect([status, body.error.context.fields[0].field]).toEqual([422, 'workspaceId'])
})
