import { readFileSync, readdirSync } from 'node:fs'
import { request } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openIssuer } from '../support/issuer.ts'
import { startSignalbox } from '../support/signalbox.ts'

/** As a browser that was sent here from elsewhere. */
async function comeBack(location: string): Promise<number | undefined> {
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
  const [answer] = await once(request(location, { headers }).end(), 'response')
  answer.resume()
  return answer.statusCode
}

test('a person lets the running product in at a server, calls its tools, and takes it back', async () => {
  const issuer = await openIssuer()
  onTestFinished(() => issuer.close())
  const box = await startSignalbox()
  onTestFinished(async () => void (await box.stop()))

  const config = { transport: 'http', url: issuer.mcp.url, auth: { type: 'oauth' } }
  expect((await box.call('POST', '/mcp/add', { name: 'acme', config })).status).toBe(201)
  const refused = await box.call('POST', '/tools/acme.who_am_i/call', { args: {} })
  expect(refused.status).toBeGreaterThanOrEqual(400)

  const { body } = await box.call('POST', '/mcp/acme/authorize')
  expect(await comeBack(await issuer.consent(body.data.authorizationUrl))).toBe(200)
  const called = async () => {
    const { status, body: answer } = await box.call('POST', '/tools/acme.who_am_i/call', { args: {} })
    expect([status, answer]).toMatchObject([200, { data: { result: { content: [{ type: 'text' }] } } }])
    return answer.data.result.content[0].text as string
  }
  const text = await vi.waitFor(called, { timeout: 20_000, interval: 200 })
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
