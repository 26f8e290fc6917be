import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openIssuer } from '../support/issuer.ts'
import { startSignalbox } from '../support/signalbox.ts'

test('a person lets the running product in at a server, calls its tools, and takes it back', async () => {
  const issuer = await openIssuer()
  onTestFinished(() => issuer.close())
  const box = await startSignalbox()
  onTestFinished(async () => void (await box.stop()))

  const config = { transport: 'http', url: issuer.mcp.url, auth: { type: 'oauth' } }
  expect((await box.call('POST', '/mcp/add', { name: 'acme', config })).status).toBe(201)
  const refused = await box.call('POST', '/tools/acme.who_am_i/call', { args: {} })
  expect([refused.status, refused.body.error?.code]).toEqual([503, 'source_unauthorized'])

  const { body } = await box.call('POST', '/mcp/acme/authorize')
  const query = new URL(await issuer.consent(body.data.authorizationUrl)).search.slice(1)
  expect((await box.call('POST', '/mcp/callback', { query })).body).toMatchObject({ data: { name: 'acme' } })
  const called = async () => {
    const { status, body: answer } = await box.call('POST', '/tools/acme.who_am_i/call', { args: {} })
    expect([status, answer]).toMatchObject([200, { data: { result: { content: [{ type: 'text' }] } } }])
    return answer.data.result.content[0].text as string
  }
  // At once: whoever was let in has not to try until it works.
  const text = await called()
  expect(text).toMatch(/^You are access-/)

  const token = text.replace('You are ', '')
  const logs = readdirSync(join(box.home, 'logs')).map((name) =>
    readFileSync(join(box.home, 'logs', name), 'utf8'),
  )
  expect(logs.join('') + box.log()).not.toContain(token)

  expect((await box.call('DELETE', '/mcp/acme/authorization')).status).toBe(204)
  expect(issuer.revoked).toContain(token)
  const after = await box.call('POST', '/tools/acme.who_am_i/call', { args: {} })
  expect([after.status, after.body.error?.code]).toEqual([503, 'source_unauthorized'])
})
