import { describe, expect, test } from 'vitest'
import { ada, openRegistry, openStaffedRegistry } from '../../test/support/registry.ts'
import { agents, executions } from '#db/schema.ts'
import { newId } from '#lib/id.ts'

const git = { name: 'git', binaryPath: '/usr/bin/git' }
const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body?.error?.code,
]

describe('registering an agent', () => {
  test('keeps the paths as the machine says they really are', async () => {
    const { call, worker, machineId } = await openStaffedRegistry()
    worker.answer = () => ({ data: { binaryPath: '/opt/git/bin/git', workingDir: '/srv/repo' } })
    const { status, body } = await call('POST', '/agents', { ...git, workingDir: '/repo' })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      ...git,
      machineId,
      binaryPath: '/opt/git/bin/git',
      workingDir: '/srv/repo',
      adapter: 'template',
      kind: 'tool',
      builtin: false,
      maxConcurrent: null,
      active: true,
    })
    expect(worker.asked).toEqual([
      {
        path: '/check-agent',
        adapter: 'template',
        binaryPath: git.binaryPath,
        workingDir: '/repo',
        lifeSec: 30,
      },
    ])
    expect((await call('GET', `/agents/${body.data.id}`)).body.data).toEqual(body.data)
    expect((await call('GET', '/agents')).body).toEqual({
      data: [body.data],
      meta: { total: 1, page: 1, pageSize: 1 },
    })
  })

  test('keeps the servers of tools, and their keys, between it and the owner', async () => {
    const { call, as } = await openStaffedRegistry()
    const server = {
      type: 'http',
      name: 'tools',
      url: 'https://tools.example',
      headers: { authorization: 'key' },
    }
    const { body } = await call('POST', '/agents', { ...git, mcpServers: [server] })
    expect(body.data.mcpServers).toEqual([server])
    expect((await as(ada, 'GET', `/agents/${body.data.id}`)).body.data.mcpServers).toEqual([])
    expect(JSON.stringify((await as(ada, 'GET', '/agents')).body)).not.toContain('key"')
  })

  test.each(['signalbox', 'Signalbox', 'signalbox__github', 'signalbox_'])(
    'cannot have another server called %s',
    async (name) => {
      const { call } = await openStaffedRegistry()
      const server = { type: 'http', name, url: 'https://tools.example', headers: {} }
      const answer = await call('POST', '/agents', { ...git, mcpServers: [server] })
      expect(answer).toMatchObject({ status: 422, body: { error: { context: { in: 'body' } } } })
      const other = { ...server, name: 'signalbox-like' }
      expect((await call('POST', '/agents', { ...git, mcpServers: [other] })).status).toBe(201)
    },
  )

  test('is the owner’s alone, and the worker is not even asked', async () => {
    const { as, worker, agent } = await openStaffedRegistry()
    const { id } = await agent()
    worker.asked.length = 0
    const admin = { ...ada, scopes: [...ada.scopes, 'admin' as const] }
    for (const [method, path, body] of [
      ['POST', '/agents', git],
      ['PATCH', `/agents/${id}`, { binaryPath: '/bin/sh' }],
      ['DELETE', `/agents/${id}`],
    ] as const)
      expect(codeOf(await as(admin, method, path, body))).toEqual([403, 'forbidden'])
    expect(worker.asked).toEqual([])
    expect((await as(ada, 'GET', `/agents/${id}`)).status).toBe(200)
    expect(codeOf(await as({ ...ada, scopes: ['code'] }, 'GET', '/agents'))).toEqual([403, 'forbidden'])
    expect(codeOf(await as({ ...ada, scopes: ['code'] }, 'GET', `/agents/${id}`))).toEqual([403, 'forbidden'])
  })

  test('needs a name of its own, also when two come at once', async () => {
    const { call } = await openStaffedRegistry()
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', '/agents', git)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  })

  test('needs a program, except for chat, of which there is nothing to check', async () => {
    const { call, worker } = await openStaffedRegistry()
    for (const adapter of ['template', 'claude', 'codex', 'acp', 'terminal']) {
      const { status, body } = await call('POST', '/agents', { name: 'x', adapter })
      expect([status, body.error.context.fields[0].field]).toEqual([422, 'binaryPath'])
    }
    expect((await call('POST', '/agents', { name: 'chat', adapter: 'chat', kind: 'model' })).status).toBe(201)
    expect(worker.asked).toEqual([])
  })

  test('of a model is of the kind that is talked to, and the other way round', async () => {
    const { call } = await openStaffedRegistry()
    const chat = { name: 'chat', kind: 'model', adapter: 'chat', binaryPath: null }
    expect((await call('POST', '/agents', { name: 'chat', adapter: 'chat' })).body.data).toMatchObject(chat)
    expect((await call('POST', '/agents', { name: 'it', kind: 'model' })).body.data.adapter).toBe('chat')
  })

  test('of a model is refused what it cannot have', async () => {
    const { call, worker } = await openStaffedRegistry()
    for (const [wanted, field, reason] of [
      [{ kind: 'coding' }, 'kind', /it must be "model", not "coding"/],
      [{ adapter: 'claude', kind: 'model', binaryPath: '/bin/claude' }, 'adapter', /by "chat"/],
      [{ binaryPath: '/bin/sh' }, 'binaryPath', /has no program/],
      [{ model: 'the best one' }, 'model', /has a space in it/],
      [{ model: '' }, 'model', /must not be empty/],
      [{ model: 'a\u0007b' }, 'model', /control/],
    ] as const) {
      const { status, body } = await call('POST', '/agents', { name: 'chat', adapter: 'chat', ...wanted })
      expect([status, body.error.context.fields]).toEqual([
        422,
        [{ field, reason: expect.stringMatching(reason) }],
      ])
    }
    expect(worker.asked).toEqual([])
  })

  test.each([
    [{ ...git, binaryPath: 'git' }],
    [{ ...git, builtin: true }],
    [{ ...git, envAllowlist: ['SIGNALBOX_TOKEN'] }],
    [{ ...git, envAllowlist: ['A=B'] }],
    [{ ...git, maxConcurrent: 0 }],
    [{ ...git, name: 'a\nb' }],
  ])('is not done from %j', async (body) => {
    const { call } = await openStaffedRegistry()
    expect((await call('POST', '/agents', body)).status).toBe(422)
  })
})

describe('the machine of an agent', () => {
  test('has to be there', async () => {
    const { call } = await openRegistry()
    const { status, body } = await call('POST', '/agents', git)
    expect([status, body.error.message]).toEqual([
      503,
      expect.stringContaining('No worker has registered yet'),
    ])
  })

  test('is the only one, ours among several, or the one that is named', async () => {
    const { call, addMachine, machineId, worker } = await openStaffedRegistry()
    const other = newId()
    await addMachine(other, 'there', worker.url)
    expect((await call('POST', '/agents', git)).body.data.machineId).toBe(machineId)
    const named = await call('POST', '/agents', { name: 'chat', adapter: 'chat', machineId: other })
    expect(named.body.data.machineId).toBe(other)
    const unknown = await call('POST', '/agents', { ...git, machineId: newId() })
    expect([unknown.status, unknown.body.error.context.fields[0].field]).toEqual([422, 'machineId'])
  })

  test('must be named when there are several and none is ours', async () => {
    const { call, addMachine } = await openRegistry()
    await addMachine(newId(), 'one', 'unix:/nowhere')
    const { status, body } = await call('POST', '/agents', { name: 'chat', adapter: 'chat' })
    expect(status).toBe(201) // the only one
    await addMachine(newId(), 'two', 'unix:/nowhere')
    const among = await call('POST', '/agents', { ...git, name: 'b' })
    expect([among.status, among.body.error.message]).toEqual([422, expect.stringMatching(/one \(.*two \(/)])
    expect(body.data.machineId).not.toBeNull()
  })
})

describe('a worker that', () => {
  test('is away is missing, and what to do is said', async () => {
    const { call, worker } = await openStaffedRegistry()
    await worker.stop()
    const { status, body } = await call('POST', '/agents', git)
    expect([status, body.error.code]).toEqual([503, 'machine_unavailable'])
    expect(body.error.message).toContain('signalbox worker')
    expect((await call('GET', '/agents')).body.meta.total).toBe(0)
  })

  test('refuses is heard in its own words', async () => {
    const { call, worker } = await openStaffedRegistry()
    worker.status = 400
    for (const [code, expected] of [
      ['binary_not_allowed', 403],
      ['working_dir_not_allowed', 403],
      ['does_not_fit', 422],
    ] as const) {
      worker.answer = () => ({ error: { code, message: 'because', context: { a: 1 } } })
      const { status, body } = await call('POST', '/agents', git)
      expect([status, body.error]).toEqual([expected, { code, message: 'because', context: { a: 1 } }])
    }
  })

  test.each([
    [401, { error: { code: 'unauthenticated', message: 'no' } }],
    [500, { error: { code: 'internal', message: 'oops' } }],
    [500, 'not even JSON'],
    [200, { binaryPath: '/x' }],
  ])('answers with %i and nonsense is unavailable', async (status, answer) => {
    const { call, worker } = await openStaffedRegistry()
    Object.assign(worker, { status, answer: () => answer })
    expect(codeOf(await call('POST', '/agents', git))).toEqual([503, 'machine_unavailable'])
  })
})

describe.each(['socket', 'tcp'] as const)('a worker that is asked over %s', (over) => {
  test('answers, and refuses', async () => {
    const { call, worker } = await openStaffedRegistry(over)
    expect((await call('POST', '/agents', git)).status).toBe(201)
    worker.status = 400
    worker.answer = () => ({ error: { code: 'binary_not_allowed', message: 'no' } })
    expect(codeOf(await call('POST', '/agents', { ...git, name: 'b' }))).toEqual([403, 'binary_not_allowed'])
    await worker.stop()
    expect(codeOf(await call('POST', '/agents', git))).toEqual([503, 'machine_unavailable'])
  })

  test('and says too much is not listened to', async () => {
    const { call, worker } = await openStaffedRegistry(over)
    const padding = ' '.repeat(2_000_000)
    worker.answer = (question) => `${padding}${JSON.stringify({ data: question })}`
    expect(codeOf(await call('POST', '/agents', git))).toEqual([503, 'machine_unavailable'])
  })

  test('and says nothing is not waited for', { timeout: 20_000 }, async () => {
    const { call, worker } = await openStaffedRegistry(over)
    worker.answer = () => new Promise(() => undefined)
    expect(codeOf(await call('POST', '/agents', git))).toEqual([503, 'machine_unavailable'])
  })
})

describe('changing an agent', () => {
  test('asks the machine again only when its place changes', async () => {
    const { call, worker, agent } = await openStaffedRegistry()
    const { id } = await agent()
    worker.asked.length = 0
    await call('PATCH', `/agents/${id}`, { name: 'renamed', active: false, binaryPath: '/usr/bin/git' })
    expect(worker.asked).toEqual([])
    worker.answer = () => ({ data: { binaryPath: '/real/sh', workingDir: '/real/repo' } })
    const { body } = await call('PATCH', `/agents/${id}`, { binaryPath: '/bin/sh' })
    expect(body.data).toMatchObject({
      name: 'renamed',
      active: false,
      binaryPath: '/real/sh',
      workingDir: '/real/repo',
    })
    expect(worker.asked).toMatchObject([{ binaryPath: '/bin/sh', workingDir: '/repo' }])
  })

  test('is refused when the machine says no, and changes nothing', async () => {
    const { call, worker, agent } = await openStaffedRegistry()
    const before = await agent()
    worker.status = 400
    worker.answer = () => ({ error: { code: 'binary_not_allowed', message: 'no' } })
    const edit = { name: 'new', binaryPath: '/bin/sh' }
    expect(codeOf(await call('PATCH', `/agents/${before.id}`, edit))).toEqual([403, 'binary_not_allowed'])
    expect((await call('GET', `/agents/${before.id}`)).body.data).toEqual(before)
  })

  test('is refused when somebody moved it while the machine was asked', async () => {
    const { call, worker, agent, pool } = await openStaffedRegistry()
    const { id } = await agent()
    worker.answer = async (question) => {
      await pool.db.update(agents).set({ workingDir: '/elsewhere' })
      return { data: question }
    }
    const answer = await call('PATCH', `/agents/${id}`, { binaryPath: '/bin/sh' })
    expect(codeOf(answer)).toEqual([409, 'agent_changed'])
  })

  test('leaves alone what came with Signalbox', async () => {
    const { call, agent, pool, worker } = await openStaffedRegistry()
    const { id } = await agent()
    await pool.db.update(agents).set({ builtin: true })
    worker.asked.length = 0
    for (const edit of [
      { binaryPath: '/bin/sh' },
      { adapter: 'claude' },
      { kind: 'coding' },
      { machineId: newId() },
    ])
      expect(codeOf(await call('PATCH', `/agents/${id}`, edit))).toEqual([409, 'agent_builtin'])
    expect(codeOf(await call('DELETE', `/agents/${id}`))).toEqual([409, 'agent_builtin'])
    expect(worker.asked).toEqual([])
    expect((await call('PATCH', `/agents/${id}`, { active: false })).status).toBe(200)
  })

  test('to a name that is taken, or of none, is refused', async () => {
    const { call, agent } = await openStaffedRegistry()
    const [one, other] = [await agent(), await agent()]
    expect(codeOf(await call('PATCH', `/agents/${one.id}`, { name: other.name }))).toEqual([
      409,
      'agent_name_taken',
    ])
    expect((await call('PATCH', `/agents/${one.id}`, { name: one.name })).status).toBe(200)
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(codeOf(await call(method, `/agents/${newId()}`, method === 'PATCH' ? {} : undefined))).toEqual([
        404,
        'agent_not_found',
      ])
  })

  test('of a chat with a model changes its model, and nothing that it cannot be without', async () => {
    const { call, worker } = await openStaffedRegistry()
    const { id } = (await call('POST', '/agents', { name: 'chat', adapter: 'chat' })).body.data
    const edit = { model: 'google/gemini-2.5-pro', maxTurns: 3 }
    expect((await call('PATCH', `/agents/${id}`, edit)).body.data).toMatchObject(edit)
    for (const wrong of [
      { kind: 'tool' },
      { adapter: 'template' },
      { binaryPath: '/bin/sh' },
      { model: 'a b' },
    ])
      expect((await call('PATCH', `/agents/${id}`, wrong)).status).toBe(422)
    expect(worker.asked).toEqual([])
  })

  test('to a chat is refused while there are commands that nobody would run', async () => {
    const { call, agent, capability } = await openStaffedRegistry()
    const { id } = await agent()
    const { id: command } = await capability(id, { key: 'log' })
    const chat = { kind: 'model', adapter: 'chat', binaryPath: null, workingDir: null }
    const { status, body } = await call('PATCH', `/agents/${id}`, chat)
    expect([status, body.error.message]).toEqual([422, expect.stringMatching(/runs no commands.* has log/)])
    await call('DELETE', `/agents/${id}/capabilities/${command}`)
    expect((await call('PATCH', `/agents/${id}`, chat)).status).toBe(200)
  })

  test('to another machine waits until it is idle', async () => {
    const { call, agent, capability, execution, addMachine, worker } = await openStaffedRegistry()
    const other = newId()
    await addMachine(other, 'there', worker.url)
    const chat = await agent({ adapter: 'chat', binaryPath: null, workingDir: null })
    const asked = await capability(chat.id, { interactionMode: 'prompt', commandTokens: null })
    const { id } = await execution(asked.id, { prompt: 'Hello' })
    worker.answer = (question) => ({ data: question })
    const move = { machineId: other }
    expect(codeOf(await call('PATCH', `/agents/${chat.id}`, move))).toEqual([409, 'agent_busy'])
    await call('POST', `/executions/${id}/cancel`)
    expect((await call('PATCH', `/agents/${chat.id}`, move)).status).toBe(200)
  })
})

describe('deleting an agent', () => {
  test('with something queued or running is refused', async () => {
    const { call, agent, capability, execution } = await openStaffedRegistry()
    const { id } = await agent()
    const { id: executionId } = await execution((await capability(id)).id)
    expect(codeOf(await call('DELETE', `/agents/${id}`))).toEqual([409, 'agent_busy'])
    await call('POST', `/executions/${executionId}/cancel`)
    expect((await call('DELETE', `/agents/${id}`)).status).toBe(204)
  })

  test('leaves what it did, under its name, and its tasks to nobody', async () => {
    const { call, agent, capability, execution, task, pool } = await openStaffedRegistry()
    const { id, name } = await agent()
    const { id: taskId } = await task({ assigneeAgentId: id })
    const done = await execution((await capability(id)).id, { taskId })
    await pool.db.update(executions).set({ status: 'succeeded', endedAt: new Date() })
    expect((await call('DELETE', `/agents/${id}`)).status).toBe(204)
    const { body } = await call('GET', `/executions/${done.id}`)
    expect(body.data).toMatchObject({
      agentId: null,
      capabilityId: null,
      agentName: name,
      sessionId: done.sessionId,
    })
    expect((await call('GET', `/tasks/${taskId}`)).body.data.assigneeAgentId).toBeNull()
    const history = await call('GET', `/tasks/${taskId}/events`)
    expect(history.body.data.at(-1)).toMatchObject({ type: 'assigned', payload: { from: id, to: null } })
  })
})
