import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openIssuer } from '../../../test/support/issuer.ts'
import { rememberGrants } from '../../../test/support/remember-grants.ts'
import { SourceConfig } from '#contract/source.ts'
import type { Caller, CallHands } from '../port.ts'
import { openOAuth } from './oauth.ts'
import { openMcpSource } from './open.ts'
import { personOf } from './people.ts'

const person = (id: string): Caller => ({ kind: 'person', id, name: id, isOwner: false })
const agentOf = (onBehalfOf: string): Caller => ({
  kind: 'agent',
  id: 'agent:7',
  agentId: '7',
  agentName: 'claude',
  allowedTools: [],
  sessionId: 's',
  executionId: 'e',
  onBehalfOf,
})
const hands = (): CallHands => ({ signal: AbortSignal.timeout(15_000) })

async function open() {
  const issuer = await openIssuer()
  const home = mkdtempSync(join(tmpdir(), 'signalbox-oauth-source-'))
  const log = pino({ level: 'silent' })
  const store = rememberGrants()
  const oauth = openOAuth({ store, log })
  const guarded = { id: 's1', name: 'acme', url: issuer.mcp.url, scopes: [] }
  const source = openMcpSource({
    name: 'acme',
    config: SourceConfig.parse({ transport: 'http', url: issuer.mcp.url, auth: { type: 'oauth' } }),
    version: '1.0.0',
    log,
    home,
    authFor: (caller) => caller && oauth.authFor(guarded, personOf(caller)),
  })
  onTestFinished(async () => {
    await source.close()
    await issuer.close()
    rmSync(home, { recursive: true })
  })
  async function letIn(id: string): Promise<void> {
    const back = { redirectUrl: 'http://127.0.0.1:4100/api/v1/mcp/callback' }
    const { authorizationUrl } = await oauth.authorize(guarded, id, back)
    const { searchParams } = new URL(await issuer.consent(authorizationUrl))
    const { state = '', ...parameters } = Object.fromEntries(searchParams)
    await oauth.authorized(id, state, parameters, () => Promise.resolve(guarded))
  }
  const call = (caller: Caller, tool = 'who_am_i') => source.call(caller, tool, {}, hands())
  const tokenOf = (id: string) => oauth.authFor(guarded, id).token()
  return { issuer, source, oauth, guarded, letIn, call, tokenOf }
}

const saying = (token: string | undefined) => ({ content: [{ type: 'text', text: `You are ${token}` }] })

it('calls for each person with what was given to them, and for an agent with what its person has', async () => {
  const box = await open()
  await box.letIn('ada')
  await box.letIn('bob')
  expect(await box.call(person('ada'))).toEqual(saying(await box.tokenOf('ada')))
  expect(await box.call(person('bob'))).toEqual(saying(await box.tokenOf('bob')))
  expect(await box.call(agentOf('bob'))).toEqual(saying(await box.tokenOf('bob')))
  expect(await box.tokenOf('ada')).not.toBe(await box.tokenOf('bob'))
})

it('says what to do when nobody has let us in, and connects as soon as somebody has', async () => {
  const box = await open()
  await expect(box.call(person('ada'))).rejects.toMatchObject({
    reason: 'source_unauthorized',
    message: expect.stringContaining('Open Tools and let Signalbox in, or POST /api/v1/mcp/acme/authorize'),
  })
  expect(box.source.health().status).toBe('unauthorized')
  await box.letIn('ada')
  await vi.waitFor(() => expect(box.source.health().status).toBe('healthy'), 15_000)
  expect(box.source.tools(person('ada')).map(({ name }) => name)).toEqual(['who_am_i', 'administer'])
  expect(await box.call(person('ada'))).toEqual(saying(await box.tokenOf('ada')))
  expect(box.source.tools(person('eve'))).toEqual([])
})

it('is ready for whoever was let in, and not for anybody else', async () => {
  const box = await open()
  await box.letIn('ada')
  const [ada, eve] = [person('ada'), person('eve')]
  expect(box.source.tools(ada)).toEqual([])
  await box.source.ready?.(ada)
  expect(box.source.tools(ada)).toHaveLength(2)
  expect(box.source.ready?.(ada)).toBeUndefined()
  await expect(box.source.ready?.(eve)).rejects.toMatchObject({
    reason: 'source_unauthorized',
    message: expect.stringMatching(/^acme: /),
  })
})

it('listens no longer to how people let us in once it is closed', async () => {
  const ends: boolean[] = []
  const source = openMcpSource({
    name: 'acme',
    config: SourceConfig.parse({ transport: 'http', url: 'http://127.0.0.1:9/', auth: { type: 'oauth' } }),
    version: '1.0.0',
    log: pino({ level: 'silent' }),
    home: tmpdir(),
    authFor: () => ({
      principalId: 'ada',
      token: async () => undefined,
      onUnauthorized: async () => {},
      needsScope: async () => '',
      onChange: () => () => void ends.push(true),
    }),
  })
  source.tools(person('ada'))
  await source.close()
  expect(ends).toEqual([true])
})

it('says which scope is missing, and goes on when it is given', async () => {
  const box = await open()
  await box.letIn('ada')
  await expect(box.call(person('ada'), 'administer')).rejects.toMatchObject({
    reason: 'source_unauthorized',
    message: expect.stringContaining('this needs admin'),
  })
  await box.letIn('ada')
  expect(await box.call(person('ada'), 'administer')).toEqual(saying(await box.tokenOf('ada')))
})

it('shows no token to another host that the server redirects to', async () => {
  const box = await open()
  await box.letIn('ada')
  expect(await box.call(person('ada'))).toEqual(saying(await box.tokenOf('ada')))
  const shown: (string | undefined)[] = []
  const elsewhere = createServer((request, response) => {
    shown.push(request.headers.authorization)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void elsewhere.close())
  await once(elsewhere, 'listening')
  box.issuer.mcp.redirectsTo = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/mcp`
  await expect(box.call(person('ada'))).rejects.toThrow('another host')
  expect(shown).toEqual([])
})
