import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openMcpStream } from '../support/mcp-stream.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

let box: Signalbox
beforeAll(async () => {
  box = await startSignalbox()
}, 60_000)
afterAll(() => box?.stop())

const newUser = async (name: string) =>
  (await box.call('POST', '/users', { name, scopes: ['tools', 'board'] })).body.data as {
    id: string
    token: string
  }

test('a user who is deleted hears nothing more of the tools, and neither does a token that was replaced', async () => {
  const [gone, renewed] = [await newUser('Gone'), await newUser('Renewed')]
  const streams = [await openMcpStream(box.url, gone.token), await openMcpStream(box.url, renewed.token)]
  expect((await box.call('DELETE', `/users/${gone.id}`)).status).toBe(204)
  expect((await box.call('POST', `/users/${renewed.id}/token`)).status).toBe(201)
  expect(await Promise.all(streams.map(({ heard }) => heard))).toEqual(['', ''])
})

test('a stream with another token of the same person goes on when they log out', async () => {
  const { token } = await newUser('Ada')
  const as = { authorization: `Bearer ${token}` }
  const key = (await box.call('POST', '/auth/session', {}, as)).body.data.sessionKey as string
  const [byToken, byKey] = [await openMcpStream(box.url, token), await openMcpStream(box.url, key)]
  let isOver = false
  void byToken.heard.then(() => (isOver = true))
  await box.call('DELETE', '/auth/session', undefined, { authorization: `Bearer ${key}` })
  expect(await byKey.heard).toBe('')
  expect(isOver).toBe(false)
  await box.call('DELETE', `/users/${(await box.call('GET', '/auth/whoami', undefined, as)).body.data.id}`)
  await byToken.heard
})

test('a stream ends with the worker behind it, and the log has a line of it and no stack', async () => {
  const stream = await openMcpStream(box.url, box.token)
  const { pid } = (await box.call('GET', '/workers/status')).body.data[0].report
  process.kill(pid, 'SIGKILL')
  await stream.heard
  await vi.waitFor(() => expect(box.log()).toContain('a worker broke off an MCP stream'), 20_000)
  expect(box.log()).not.toMatch(/^\s+at /m)
  expect(box.log()).not.toContain('Error: aborted')
})
