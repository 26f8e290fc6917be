import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { SessionFacts } from '#contract/agent-event.ts'
import { commands, events, executions, sessions } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import { ada, bob, openStaffedRegistry } from '../../test/support/registry.ts'
import type { Answer } from '../../test/support/registry.ts'

const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const fieldOf = ({ status, body }: Answer) => [status, body.error.context.fields[0].field]

/** An agent that holds sessions, and what can be asked of it. */
async function openWithClaude() {
  const box = await openStaffedRegistry()
  const { call, pool } = box
  const agent = await box.agent({ kind: 'coding', adapter: 'claude', binaryPath: '/usr/bin/claude' })
  const capability = await box.capability(agent.id, { interactionMode: 'prompt', commandTokens: null })
  const { db } = pool
  return {
    ...box,
    claude: agent,
    ask: capability,
    open: async (more: object = {}) =>
      (await call('POST', '/sessions', { agentId: agent.id, ...more })).body.data,
    turn: (more: object = {}) =>
      call('POST', '/executions', { capabilityId: capability.id, prompt: 'Do it', ...more }),
    end: (id: string) =>
      db.update(executions).set({ status: 'succeeded', endedAt: new Date() }).where(eq(executions.id, id)),
    know: (id: string, facts: SessionFacts) =>
      db
        .update(sessions)
        .set({ facts, sessionRef: facts.sessionRef ?? null })
        .where(eq(sessions.id, id)),
    told: () => db.select({ type: commands.type, payload: commands.payload }).from(commands),
    row: async (id: string) => (await db.select().from(executions).where(eq(executions.id, id)))[0],
    typesIn: async (id: string) =>
      (await db.select({ type: events.type }).from(events).where(eq(events.streamId, id))).map(
        ({ type }) => type,
      ),
  }
}

describe('opening a session', () => {
  test('runs nothing, and what is asked in it later is its first turn', async () => {
    const { open, turn, claude } = await openWithClaude()
    const session = await open({ title: 'Later', model: 'opus', mode: 'plan' })
    expect(session).toMatchObject({
      agentId: claude.id,
      title: 'Later',
      model: 'opus',
      mode: 'plan',
      executions: 0,
      status: null,
      workspaceId: expect.any(String),
    })
    const { body } = await turn({ sessionId: session.id })
    expect(body.data).toMatchObject({ sessionId: session.id, workspaceId: session.workspaceId })
  })

  test('needs an agent that is there and active, and the scope to run', async () => {
    const { as, call, claude } = await openWithClaude()
    expect(fieldOf(await call('POST', '/sessions', { agentId: newId() }))).toEqual([422, 'agentId'])
    expect(fieldOf(await call('POST', '/sessions', { agentId: claude.id, workspaceId: newId() }))).toEqual([
      422,
      'workspaceId',
    ])
    expect(
      (await as({ ...ada, scopes: ['board'] }, 'POST', '/sessions', { agentId: claude.id })).status,
    ).toBe(403)
    await call('PATCH', `/agents/${claude.id}`, { active: false })
    expect(codeOf(await call('POST', '/sessions', { agentId: claude.id }))).toEqual([409, 'agent_inactive'])
  })
})

describe('editing a session', () => {
  test('is told to an agent at work, and otherwise kept for the next turn', async () => {
    const { call, open, turn, told } = await openWithClaude()
    const { id } = await open()
    expect(
      (await call('PATCH', `/sessions/${id}`, { title: 'Other', model: 'opus' })).body.data,
    ).toMatchObject({
      title: 'Other',
      model: 'opus',
    })
    expect(await told()).toEqual([])
    await turn({ sessionId: id })
    await call('PATCH', `/sessions/${id}`, { title: 'Only a title' })
    expect(await told()).toEqual([])
    await call('PATCH', `/sessions/${id}`, { model: 'sonnet', mode: 'plan' })
    expect(await told()).toEqual([{ type: 'mode', payload: { model: 'sonnet', mode: 'plan' } }])
  })

  test('back to nothing means what the agent begins with', async () => {
    const { call, open, turn, told, claude } = await openWithClaude()
    await call('PATCH', `/agents/${claude.id}`, { model: 'haiku' })
    const { id } = await open({ model: 'opus', mode: 'plan' })
    await turn({ sessionId: id })
    const { body } = await call('PATCH', `/sessions/${id}`, { model: null, mode: null })
    expect([body.data.model, body.data.mode]).toEqual([null, null])
    expect(await told()).toEqual([{ type: 'mode', payload: { model: 'haiku' } }])
  })

  test('takes only what the agent says it has', async () => {
    const { call, open, know } = await openWithClaude()
    const { id } = await open()
    const choice = (name: string) => ({ id: name, label: name })
    await know(id, { models: [choice('opus'), choice('haiku')], modes: [choice('plan')], mode: 'special' })
    const { status, body } = await call('PATCH', `/sessions/${id}`, { model: 'gpt', title: 'Kept?' })
    expect([status, body.error.message]).toEqual([422, expect.stringContaining('It has: opus, haiku')])
    expect(fieldOf(await call('PATCH', `/sessions/${id}`, { mode: 'yolo' }))).toEqual([422, 'mode'])
    for (const edit of [{ model: 'haiku' }, { mode: 'plan' }, { mode: 'special' }, { model: null }])
      expect((await call('PATCH', `/sessions/${id}`, edit)).status).toBe(200)
    expect((await call('PATCH', `/sessions/${id}`, {})).body.data.title).not.toBe('Kept?')
  })

  test('of a chat takes any name of a model, which counts from the next turn on, and no mode', async () => {
    const { call, agent, capability, told } = await openWithClaude()
    const chat = await agent({ adapter: 'chat', binaryPath: null, workingDir: null })
    const asked = await capability(chat.id, { interactionMode: 'prompt', commandTokens: null })
    const { id } = (await call('POST', '/sessions', { agentId: chat.id, model: 'google' })).body.data
    const patch = (edit: object) => call('PATCH', `/sessions/${id}`, edit)
    expect((await patch({ model: 'anthropic/claude-haiku-4-5' })).status).toBe(200)
    const turn = { capabilityId: asked.id, sessionId: id, prompt: 'Hello' }
    expect((await call('POST', '/executions', turn)).status).toBe(201)
    expect((await patch({ model: 'compatible/meta/llama:8b' })).body.data.model).toBe(
      'compatible/meta/llama:8b',
    )
    expect((await patch({ model: null })).body.data.model).toBeNull()
    expect(await told()).toEqual([])
    for (const model of ['', ' ', 'a b', 'a\u0000b', 'a\nb', 'x'.repeat(201)])
      expect(fieldOf(await patch({ model }))).toEqual([422, 'model'])
    expect(fieldOf(await patch({ mode: 'plan' }))).toEqual([422, 'mode'])
    const opened = await call('POST', '/sessions', { agentId: chat.id, model: 'a b' })
    expect(fieldOf(opened)).toEqual([422, 'model'])
  })

  test('to a mode in which it may ask less is the owner’s, as is opening one in it', async () => {
    const { as, call, claude } = await openWithClaude()
    await call('PATCH', `/agents/${claude.id}`, { mode: 'careful' })
    const open = (mode: string) => as(ada, 'POST', '/sessions', { agentId: claude.id, mode })
    const { id } = (await open('plan')).body.data
    const edit = (mode: string | null) => as(ada, 'PATCH', `/sessions/${id}`, { mode })
    for (const mode of ['bypassPermissions', 'acceptEdits', 'never', 'yolo', 'autoEdit', 'auto', 'Default'])
      for (const answer of [await open(mode), await edit(mode)]) {
        expect(codeOf(answer)).toEqual([403, 'forbidden'])
        expect(answer.body.error.message).toMatch(/Only the owner.*default, plan, ask, read-only and careful/)
      }
    expect((await call('PATCH', `/sessions/${id}`, {})).body.data.mode).toBe('plan')
    for (const mode of ['default', 'plan', 'ask', 'read-only', 'careful', null])
      expect((await edit(mode)).status).toBe(200)
    expect((await call('PATCH', `/sessions/${id}`, { mode: 'never' })).body.data.mode).toBe('never')
  })

  test('is not done to what is not theirs', async () => {
    const { as, claude } = await openWithClaude()
    const { id } = (await as(ada, 'POST', '/sessions', { agentId: claude.id })).body.data
    for (const [method, verb] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/fork'],
      ['POST', '/restore'],
    ] as const)
      expect(
        codeOf(await as(bob, method, `/sessions/${id}${verb}`, method === 'PATCH' ? {} : undefined)),
      ).toEqual([404, 'session_not_found'])
    expect((await as(ada, 'PATCH', `/sessions/${id}`, { title: 'Mine' })).status).toBe(200)
  })
})

describe('forking a session', () => {
  test('goes on in a copy, from its first turn until it has a history of its own', async () => {
    const { call, open, turn, know, row, end, ask } = await openWithClaude()
    const { id } = await open({ title: 'Parent', model: 'opus' })
    expect(codeOf(await call('POST', `/sessions/${id}/fork`))).toEqual([409, 'cannot_fork'])
    await know(id, { sessionRef: 'ref-1', models: [{ id: 'opus', label: 'Opus' }] })
    const { status, body } = await call('POST', `/sessions/${id}/fork`)
    expect([status, body.data]).toEqual([
      201,
      expect.objectContaining({
        title: 'Parent (fork)',
        parentSessionId: id,
        model: 'opus',
        sessionRef: null,
        facts: { models: [{ id: 'opus', label: 'Opus' }] },
      }),
    ])
    const first = (await turn({ sessionId: body.data.id })).body.data
    expect((await row(first.id))?.fork).toBe(true)
    await end(first.id)
    const again = (await turn({ sessionId: body.data.id })).body.data // the first never came so far
    expect((await row(again.id))?.fork).toBe(true)
    await end(again.id)
    await know(body.data.id, { sessionRef: 'ref-2' })
    const next = (await turn({ sessionId: body.data.id })).body.data
    expect((await row(next.id))?.fork).toBe(false)
    const plain = (await call('POST', '/executions', { capabilityId: ask.id, prompt: 'x' })).body.data
    expect((await row(plain.id))?.fork).toBe(false)
  })
})

describe('the trash', () => {
  test('takes what is at rest, hides it, keeps it from going on, and gives it back', async () => {
    const { call, open, turn, end, typesIn } = await openWithClaude()
    const { id } = await open()
    const live = (await turn({ sessionId: id })).body.data
    expect(codeOf(await call('DELETE', `/sessions/${id}`))).toEqual([409, 'session_busy'])
    await end(live.id)
    for (let twice = 0; twice < 2; twice++) expect((await call('DELETE', `/sessions/${id}`)).status).toBe(204)
    expect(codeOf(await turn({ sessionId: id }))).toEqual([409, 'session_trashed'])
    expect(codeOf(await call('POST', `/executions/${live.id}/messages`, { text: 'x' }))).toEqual([
      409,
      'session_trashed',
    ])
    const restored = await call('POST', `/sessions/${id}/restore`)
    expect([restored.status, restored.body.data.trashedAt]).toEqual([200, null])
    expect((await turn({ sessionId: id })).status).toBe(201)
    expect((await typesIn(id)).filter((type) => /trashed|restored/.test(type))).toEqual([
      'data-trashed',
      'data-restored',
    ])
  })

  test('does not take what somebody has taken over', async () => {
    const { call, open, pool } = await openWithClaude()
    const { id } = await open()
    await pool.db.update(sessions).set({ takenOverAt: new Date() }).where(eq(sessions.id, id))
    expect(codeOf(await call('DELETE', `/sessions/${id}`))).toEqual([409, 'session_taken_over'])
  })
})

describe('what is asked below an execution', () => {
  test('goes on in its session once it is over, as deep as it was', async () => {
    const { turn, end, row } = await openWithClaude()
    let parent = (await turn()).body.data
    for (let turns = 0; turns < 5; turns++) {
      await end(parent.id)
      const next = (await turn({ parentExecutionId: parent.id })).body.data
      expect(next).toMatchObject({ sessionId: parent.sessionId, parentExecutionId: parent.id })
      expect((await row(next.id))?.depth).toBe(0)
      parent = next
    }
  })

  test('is spawned when it lives, or when another agent is asked, or a command', async () => {
    const { turn, end, row, claude, agent, capability, execution } = await openWithClaude()
    const parent = (await turn()).body.data
    const spawned = (await turn({ parentExecutionId: parent.id })).body.data
    expect(spawned.sessionId).not.toBe(parent.sessionId)
    expect((await row(spawned.id))?.depth).toBe(1)
    await end(parent.id)
    const other = await agent({ adapter: 'claude', binaryPath: '/usr/bin/claude' })
    const asked = await capability(other.id, { interactionMode: 'prompt', commandTokens: null })
    const command = await capability(claude.id, { commandTokens: ['--version'] })
    for (const [id, more] of [
      [asked.id, { prompt: 'x' }],
      [command.id, {}],
    ]) {
      const child = await execution(id, { parentExecutionId: parent.id, ...more })
      expect(child.sessionId).not.toBe(parent.sessionId)
    }
  })
})
