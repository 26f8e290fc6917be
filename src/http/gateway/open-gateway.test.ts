import { expect, test } from 'vitest'
import { connect, openChatRoom, openWeb } from '../../../test/support/gateway.ts'

test('a session is opened with the model that is asked for, and what is said there is the next turn', async () => {
  const room = await openChatRoom()
  const web = await openWeb(room)
  const client = connect(web.url, { token: room.token }, { query: { model: 'anthropic/claude-haiku-4-5' } })
  const ready = await client.next('system:ready')
  expect(ready).toEqual({
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
    sessionId: expect.any(String),
    seq: 0,
  })
  const said = await client.say('message', { text: 'Hello' })
  expect(said).toEqual({ executionId: expect.any(String) })
  const { executionId } = said
  const { body } = await web.call('GET', `/executions/${executionId}`)
  expect(body.data).toMatchObject({ sessionId: ready.sessionId, prompt: 'Hello', status: 'queued' })
  const turn = await room.turnIn(ready.sessionId)
  await turn.say({ type: 'start-step' }, { type: 'text-start', id: '0' })
  await turn.say({ type: 'text-delta', id: '0', delta: 'Good ' })
  await turn.say({ type: 'text-delta', id: '0', delta: 'day' }, { type: 'text-end', id: '0' })
  await turn.end()
  await client.next('agent:done')
  expect(client.heard.slice(1)).toEqual([
    { name: 'agent:delta', body: { text: 'Good ', seq: 5 } },
    { name: 'agent:delta', body: { text: 'day', seq: 6 } },
    { name: 'agent:message', body: { text: 'Good day', seq: 7 } },
    { name: 'agent:done', body: { status: 'succeeded', seq: 8 } },
  ])
})
