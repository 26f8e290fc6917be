import { describe, expect, test } from 'vitest'
import { ada, openStaffedRegistry } from '../../test/support/registry.ts'
import { newId } from '#lib/id.ts'

const log = {
  key: 'log',
  interactionMode: 'template',
  commandTokens: ['log', '-n', '{{count}}'],
  argsSchema: { type: 'object', properties: { count: { type: 'integer', default: 5 } } },
}

async function open() {
  const box = await openStaffedRegistry()
  const agent = await box.agent()
  return { ...box, agentId: agent.id, path: `/agents/${agent.id}/capabilities` }
}

describe('capabilities', () => {
  test('are added, read, listed by key, changed and deleted', async () => {
    const { call, path, agentId } = await open()
    const { status, body } = await call('POST', path, log)
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      ...log,
      agentId,
      label: 'log',
      dangerLevel: 0,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      timeoutSec: 300,
      maxOutputBytes: 10_485_760,
    })
    const one = `${path}/${body.data.id}`
    expect((await call('GET', one)).body.data).toEqual(body.data)
    await call('POST', path, { ...log, key: 'a' })
    expect((await call('GET', path)).body.data.map(({ key }: { key: string }) => key)).toEqual(['a', 'log'])
    expect((await call('PATCH', one, { label: 'The log', timeoutSec: 5 })).body.data).toEqual({
      ...body.data,
      label: 'The log',
      timeoutSec: 5,
    })
    expect((await call('DELETE', one)).status).toBe(204)
    expect((await call('GET', one)).status).toBe(404)
  })

  test('are the owner’s to write, and everybody’s on the board to read', async () => {
    const { call, as, path } = await open()
    const { id } = (await call('POST', path, log)).body.data
    const admin = { ...ada, scopes: [...ada.scopes, 'admin' as const] }
    expect((await as(admin, 'POST', path, { ...log, key: 'x' })).status).toBe(403)
    expect((await as(admin, 'PATCH', `${path}/${id}`, { dangerLevel: 0 })).status).toBe(403)
    expect((await as(admin, 'DELETE', `${path}/${id}`)).status).toBe(403)
    expect((await as(ada, 'GET', path)).status).toBe(200)
    expect((await as(ada, 'GET', `${path}/${id}`)).status).toBe(200)
    expect((await as({ ...ada, scopes: ['code'] }, 'GET', path)).status).toBe(403)
    expect((await as({ ...ada, scopes: ['code'] }, 'GET', `${path}/${id}`)).status).toBe(403)
  })

  test('have a key of their own within the agent, also when two come at once', async () => {
    const { call, path, agent } = await open()
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', path, log)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    const { id } = (await call('POST', path, { ...log, key: 'other' })).body.data
    expect((await call('PATCH', `${path}/${id}`, { key: 'log' })).body.error.code).toBe(
      'capability_key_taken',
    )
    expect((await call('PATCH', `${path}/${id}`, { key: 'other' })).status).toBe(200)
    const elsewhere = await agent()
    expect((await call('POST', `/agents/${elsewhere.id}/capabilities`, log)).status).toBe(201)
  })

  test('of another agent, or of none, are not found', async () => {
    const { call, path, agent } = await open()
    const { id } = (await call('POST', path, log)).body.data
    const other = `/agents/${(await agent()).id}/capabilities/${id}`
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await call(method, other, method === 'PATCH' ? {} : undefined)).body.error.code).toBe(
        'capability_not_found',
      )
    const nobody = `/agents/${newId()}/capabilities`
    expect((await call('POST', nobody, log)).body.error.code).toBe('agent_not_found')
    expect((await call('GET', nobody)).body.error.code).toBe('agent_not_found')
  })

  test.each([
    [{ ...log, commandTokens: null }, 'commandTokens'],
    [{ ...log, commandTokens: [] }, 'commandTokens'],
    [{ ...log, commandTokens: ['{{nobody}}'] }, 'commandTokens.0'],
    [{ ...log, commandTokens: ['{{ }}'] }, 'commandTokens.0'],
    [{ ...log, commandTokens: ['a\0'] }, 'commandTokens.0'],
    [{ ...log, argsSchema: { type: 'array' } }, 'argsSchema.type'],
    [{ ...log, argsSchema: { type: 'object', properties: { count: { type: 'nothing' } } } }, 'argsSchema'],
    [{ ...log, dangerLevel: 4 }, 'dangerLevel'],
    [{ ...log, dangerLevel: 2, annotations: { readOnlyHint: true } }, 'annotations.readOnlyHint'],
    [{ ...log, key: 'Log It' }, 'key'],
    [{ ...log, timeoutSec: 0 }, 'timeoutSec'],
  ])('are not made from %j', async (body, field) => {
    const { call, path } = await open()
    const answer = await call('POST', path, body)
    expect([answer.status, answer.body.error.context.fields[0].field]).toEqual([422, field])
  })

  test('of a chat with a model are asked for in words', async () => {
    const { call } = await open()
    const chat = (await call('POST', '/agents', { name: 'chat', adapter: 'chat' })).body.data
    const path = `/agents/${chat.id}/capabilities`
    const command = await call('POST', path, log)
    expect([command.status, command.body.error.context.fields[0]]).toEqual([
      422,
      { field: 'interactionMode', reason: expect.stringMatching(/only be asked in words/) },
    ])
    const asked = await call('POST', path, { key: 'ask', interactionMode: 'prompt' })
    expect(asked.status).toBe(201)
    const edit = { interactionMode: 'template', commandTokens: ['log'] }
    expect((await call('PATCH', `${path}/${asked.body.data.id}`, edit)).status).toBe(422)
  })

  test('stay whole when a part is changed', async () => {
    const { call, path } = await open()
    const { id } = (await call('POST', path, log)).body.data
    for (const [edit, field] of [
      [{ commandTokens: null }, 'commandTokens'],
      [{ commandTokens: ['{{other}}'] }, 'commandTokens.0'],
      [{ argsSchema: { type: 'object' } }, 'commandTokens.2'],
      [{ dangerLevel: 3, annotations: { readOnlyHint: true } }, 'annotations.readOnlyHint'],
    ] as const) {
      const { status, body } = await call('PATCH', `${path}/${id}`, edit)
      expect([status, body.error.context.fields[0].field]).toEqual([422, field])
    }
  })

  test('get the annotations of a new danger level, and keep them otherwise', async () => {
    const { call, path } = await open()
    const { id } = (await call('POST', path, log)).body.data
    const hints = async (edit: object) =>
      Object.values((await call('PATCH', `${path}/${id}`, edit)).body.data.annotations)
    expect(await hints({ annotations: { idempotentHint: false } })).toEqual([true, false, false])
    expect(await hints({ label: 'x' })).toEqual([true, false, false])
    expect(await hints({ dangerLevel: 2 })).toEqual([false, true, false])
    expect(await hints({ dangerLevel: 0, annotations: { readOnlyHint: false } })).toEqual([
      false,
      false,
      true,
    ])
  })

  test('that are in use are not deleted', async () => {
    const { call, path, execution } = await open()
    const { id } = (await call('POST', path, log)).body.data
    const queued = await execution(id)
    expect((await call('DELETE', `${path}/${id}`)).body.error.code).toBe('capability_busy')
    await call('POST', `/executions/${queued.id}/cancel`)
    expect((await call('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await call('GET', `/executions/${queued.id}`)).body.data).toMatchObject({
      capabilityId: null,
      capabilityKey: 'log',
    })
  })
})
