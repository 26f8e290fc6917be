// What the conformance suite asks of our client, done with what the product connects with and nothing else. The suite says in the environment
// which scenario is on, and with the last argument where its server is.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pino from 'pino'
import { SourceConfig } from '#contract/source.ts'
import { openOAuth } from '#tools/mcp/oauth.ts'
import { openMcpSource } from '#tools/mcp/open.ts'
import type { GuardedSource } from '#tools/mcp/port.ts'
import { CallFailed } from '#tools/port.ts'
import type { Caller, CallHands, ToolSource } from '#tools/port.ts'
import { rememberGrants } from '../support/remember-grants.ts'
import { discoverHere } from './local-discover.ts'

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const url = process.argv.at(-1) ?? ''
const given = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Given

interface Given {
  client_id?: string
  client_secret?: string
  toolCalls?: { name: string; arguments: Record<string, unknown> }[]
}

const person: Caller = { kind: 'person', id: 'owner', name: 'owner', isOwner: true }
const back = {
  redirectUrl: 'http://localhost:3000/callback',
  clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
}
/** A person who is asked to let us in for the same thing over and over stops at some point. */
const mostLogins = 3
const patienceMs = 30_000
let logins = 0

const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }, pino.destination(2))
const home = mkdtempSync(join(tmpdir(), 'signalbox-conformance-'))
const oauth = openOAuth({ store: rememberGrants(), log })
const guarded: GuardedSource = {
  id: 'conformance',
  name: 'conformance',
  url,
  scopes: [],
  clientId: given.client_id,
  clientSecret: given.client_secret,
}

const hands = (): CallHands => ({
  signal: AbortSignal.timeout(patienceMs),
  // Somebody who says yes to everything, and fills nothing in.
  ask: (questions) => {
    const content = scenario === 'sep-2322-client-request-state' ? { confirmed: true } : {}
    const answers = Object.keys(questions).map((key) => [key, { action: 'accept', content }])
    return Promise.resolve(Object.fromEntries(answers) as Record<string, Record<string, unknown>>)
  },
})

/** The server is there, after somebody has let us in if that is what it wants. */
async function standing(source: ToolSource): Promise<void> {
  let seen: string | null = null
  for (const until = Date.now() + patienceMs; Date.now() < until; await wait(10)) {
    source.tools(person)
    const { status, errorAt } = source.health()
    if (status === 'healthy') return
    if (status !== 'unauthorized' || errorAt === null || errorAt === seen) continue
    seen = errorAt
    await letIn()
  }
  throw new Error(source.health().error ?? 'It was not there in time')
}

async function letIn(): Promise<void> {
  if (++logins > mostLogins) throw new Error(`Let in ${mostLogins} times, and still not in`)
  const { authorizationUrl } = await oauth.authorize(guarded, person.id, back)
  const response = await fetch(authorizationUrl, { redirect: 'manual' })
  const location = new URL(response.headers.get('location') ?? '')
  const { state = '', ...parameters } = Object.fromEntries(location.searchParams)
  await oauth.authorized(person.id, state, parameters, () => Promise.resolve(guarded))
}

async function call(source: ToolSource, tool: string, args: Record<string, unknown> = {}): Promise<void> {
  for (;;) {
    try {
      const result = await source.call(person, tool, args, hands())
      log.info({ tool, result }, 'called')
      return
    } catch (error) {
      if (!(error instanceof CallFailed) || error.reason !== 'source_unauthorized') throw error
      await letIn()
      await standing(source)
    }
  }
}

async function askFor(
  source: ToolSource,
  method: string,
  params: object = {},
): Promise<Record<string, unknown>> {
  return (await source.request?.(person, method, params, hands())) as Record<string, unknown>
}

async function drive(source: ToolSource): Promise<void> {
  const names = () => source.tools(person).map(({ name }) => name)
  switch (scenario) {
    case 'sep-2322-client-request-state':
      for (const tool of ['test_mrtr_echo_state', 'test_mrtr_no_state', 'test_mrtr_unrelated'])
        await call(source, tool)
      return call(source, 'test_mrtr_no_result_type').catch((error: unknown) =>
        log.info({ err: error }, 'refused'),
      )
    case 'http-custom-headers':
      for (const { name, arguments: args } of given.toolCalls ?? []) await call(source, name, args)
      return
    case 'http-invalid-tool-headers':
      for (const name of names()) await call(source, name, { region: 'us-west1' })
      return
    case 'http-standard-headers': {
      for (const name of names()) await call(source, name)
      const { resources } = (await askFor(source, 'resources/list')) as { resources: { uri: string }[] }
      for (const { uri } of resources) await askFor(source, 'resources/read', { uri })
      const { prompts } = (await askFor(source, 'prompts/list')) as { prompts: { name: string }[] }
      for (const { name } of prompts) await askFor(source, 'prompts/get', { name, arguments: {} })
      return
    }
    case 'json-schema-2020-12-preservation': {
      const schema = source.tools(person).find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema
      return call(source, 'json_schema_echo', { schema })
    }
    case 'initialize':
    case 'request-metadata':
    case 'json-schema-ref-no-deref':
      return
    case 'tools_call':
      return call(source, 'add_numbers', { a: 5, b: 3 })
    default:
      for (const name of names()) await call(source, name)
  }
}

if (/^(?:http-|sep-2322)/.test(scenario)) discoverHere()
const source = openMcpSource({
  name: 'conformance',
  config: SourceConfig.parse({
    transport: 'http',
    url,
    ...(scenario.startsWith('auth/') && { auth: { type: 'oauth' } }),
  }),
  version: '1.0.0',
  log,
  home,
  authFor: (caller) => caller && oauth.authFor(guarded, person.id),
})
try {
  await standing(source)
  await drive(source)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
} finally {
  await source.close()
  rmSync(home, { recursive: true, force: true })
}
process.exit()
