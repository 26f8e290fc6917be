import { expect, test } from 'vitest'
import { asPrincipal } from '#domain/access.ts'
import { checkedMessage } from '#flows/say-in-chat.ts'
import { newId } from '#lib/id.ts'
import { bareApp } from '../../test/support/bare-app.ts'
import { codeOf, openChats, user } from '../../test/support/played-chats.ts'
import { sessionsRoutes } from './sessions.ts'

const cleo = asPrincipal({ id: newId(), name: 'Cleo', scopes: ['chat'] })

test('whoever may only chat opens, lists, changes and forks chats with models, and knows of no other agents', async () => {
  const chats = await openChats()
  const { as, model } = chats
  const coding = await chats.agent({ kind: 'coding', adapter: 'claude', binaryPath: '/usr/bin/claude' })
  const opened = await as(cleo, 'POST', '/sessions', { agentId: model.id })
  expect(opened.status).toBe(201)
  const { id } = opened.body.data
  const said = await chats.ask('POST', `${id}/chat`, { messages: [user('Good day')] }, cleo)
  expect(said.status).toBe(200)
  await chats.answer(said.body.messageId, 'Good day.')
  expect((await as(cleo, 'PATCH', `/sessions/${id}`, { title: 'Mine' })).status).toBe(200)
  expect((await as(cleo, 'POST', `/sessions/${id}/fork`)).status).toBe(201)
  expect((await as(cleo, 'DELETE', `/sessions/${id}`)).status).toBe(204)
  expect((await as(cleo, 'POST', `/sessions/${id}/restore`)).status).toBe(200)
  for (const path of ['/approvals', '/executions', `/executions/${said.body.messageId}`])
    expect([path, (await as(cleo, 'GET', path)).status]).toEqual([path, 200])
  const agents = (await as(cleo, 'GET', '/agents')).body.data as { id: string }[]
  expect(agents.map((agent) => agent.id)).toEqual([model.id])
  expect((await as(cleo, 'GET', `/agents/${model.id}`)).status).toBe(200)
  expect(codeOf(await as(cleo, 'GET', `/agents/${coding.id}`))).toEqual([404, 'agent_not_found'])
  const { pool } = chats
  const app = bareApp()
  app.use(async (c, next) => {
    c.set('principal', cleo)
    await next()
  })
  app.route('/', sessionsRoutes({ pool, streams: undefined as never }))
  const list = await app.request('/sessions')
  const { data } = (await list.json()) as { data: { title: string }[] }
  expect(data.map(({ title }) => title)).toContain('Mine')
  expect((await app.request(`/sessions/${id}/events`)).status).toBe(200)
})

test('and nothing else: no coding agents, no places to work in, no commands', async () => {
  const chats = await openChats()
  const { as, model } = chats
  const coding = await chats.agent({ kind: 'coding', adapter: 'claude', binaryPath: '/usr/bin/claude' })
  const capability = await chats.capability(coding.id, { interactionMode: 'prompt', commandTokens: null })
  const own = await as({ ...cleo, scopes: ['run'] }, 'POST', '/sessions', { agentId: coding.id })
  const { id } = own.body.data
  for (const [method, path, body] of [
    ['POST', '/sessions', { agentId: coding.id }],
    ['POST', '/sessions', { agentId: model.id, workspaceId: newId() }],
    ['PATCH', `/sessions/${id}`, { title: 'x' }],
    ['POST', `/sessions/${id}/fork`],
    ['DELETE', `/sessions/${id}`],
    ['POST', `/sessions/${id}/restore`],
    ['POST', '/executions', { capabilityId: capability.id, prompt: 'x' }],
    ['GET', `/agents/${coding.id}/capabilities`],
    ['POST', `/approvals/${newId()}`, { decision: 'granted' }],
  ] as const)
    expect([path, codeOf(await as(cleo, method, path, body))]).toEqual([path, [403, 'forbidden']])
})

test('a session without a title of its own is called after what is said in it first', async () => {
  const chats = await openChats()
  const titleOf = async (id: string) =>
    (await chats.call('PATCH', `/sessions/${id}`, {})).body.data.title as string
  const id = await chats.open()
  expect(await titleOf(id)).toBe(chats.model.name)
  await chats.answer(await chats.say(id, '\n Which tasks are open?\nAll of them'), 'None.')
  expect(await titleOf(id)).toBe('Which tasks are open?')
  await chats.answer(await chats.say(id, 'And closed?'), 'None.')
  expect(await titleOf(id)).toBe('Which tasks are open?')
  const named = await chats.call('POST', '/sessions', { agentId: chats.model.id, title: 'Tasks' })
  await chats.say(named.body.data.id, 'Which?')
  expect(await titleOf(named.body.data.id)).toBe('Tasks')
})

test('nothing but space is nothing to say, wherever it is said, unless something is attached', async () => {
  const chats = await openChats()
  const capability = (await chats.call('GET', `/agents/${chats.model.id}/capabilities`)).body.data[0]
  const start = (more: object) =>
    chats.call('POST', '/executions', { capabilityId: capability.id, prompt: ' \n ', ...more })
  expect(codeOf(await start({}))).toEqual([422, 'does_not_fit'])
  const file = { url: 'data:text/plain;base64,YQ==', mediaType: 'text/plain' }
  const begun = await start({ files: [file] })
  expect(begun.status).toBe(201)
  const { id } = begun.body.data
  expect(codeOf(await chats.call('POST', `/executions/${id}/messages`, { text: '   ' }))).toEqual([
    422,
    'does_not_fit',
  ])
  const onSocket = () => checkedMessage({ text: ' \n ', files: [] })
  expect(onSocket).toThrow(/must have words/)
})
