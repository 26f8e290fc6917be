import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { once } from 'node:events'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

// The running product: web in front, the worker behind it, and programs of both eras as its sources.

const root = join(import.meta.dirname, '../..')
const program = join(import.meta.dirname, 'conformance/program.ts')
const upstreams = ['legacy', 'modern'] as const
const eras = ['2025-11-25', '2026-07-28'] as const

let signalbox: Signalbox
beforeAll(async () => {
  signalbox = await startSignalbox({ env: { ALLOWED_BINARY_DIRS: join(process.execPath, '..') } })
  for (const era of upstreams) {
    const config = { transport: 'stdio', command: process.execPath, args: [program, era] }
    await signalbox.call('POST', '/mcp/add', { name: era, config })
  }
  await vi.waitUntil(
    async () => (await signalbox.call('GET', '/mcp/health')).body.data.summary.healthy === 2,
    { timeout: 60_000, interval: 200 },
  )
})
afterAll(() => signalbox?.stop())

const optionsOf = (era: (typeof eras)[number]) =>
  ({
    capabilities: { elicitation: {}, sampling: {}, roots: {} },
    versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
  }) as const

/** Lets a client answer what it is asked, by its name. */
function answering(client: Client): Client {
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const fields = 'requestedSchema' in params ? Object.keys(params.requestedSchema.properties) : []
    return { action: 'accept', content: Object.fromEntries(fields.map((field) => [field, 'Ada'])) }
  })
  client.setRequestHandler('sampling/createMessage', async () => ({
    role: 'assistant',
    content: { type: 'text', text: 'Good day' },
    model: 'test',
  }))
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///here' }] }))
  return client
}

async function connected(era: (typeof eras)[number], path: string, token = signalbox.token): Promise<Client> {
  const client = answering(new Client({ name: 'test', version: '1.0.0' }, optionsOf(era)))
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(path, signalbox.url), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

async function piped(era: (typeof eras)[number], env: Record<string, string> = {}): Promise<Client> {
  const client = answering(new Client({ name: 'test', version: '1.0.0' }, optionsOf(era)))
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'src/main/signalbox.ts'), 'mcp'],
    env: { SIGNALBOX_HOME: signalbox.home, PATH: process.env['PATH'] ?? '', ...env },
  })
  onTestFinished(() => client.close())
  await client.connect(transport)
  return client
}

const textOf = (result: object) => (result as { content: { text: string }[] }).content[0]?.text

describe.each(eras)('a client of %s', (era) => {
  test.each(upstreams)('is asked by an upstream that is %s, through both of our ends', async (upstream) => {
    const client = await connected(era, `/mcp/raw/${upstream}`)
    const greeting = await client.callTool({ name: 'test_input_required_result_elicitation', arguments: {} })
    expect(textOf(greeting)).toBe('Hello, Ada!')
    const all = await client.callTool({ name: 'test_input_required_result_multiple_inputs', arguments: {} })
    expect(textOf(all)).toBe('Good day, "Ada": 1 roots')
    const rounds = await client.callTool({ name: 'test_input_required_result_multi_round', arguments: {} })
    expect(textOf(rounds)).toBe('Ada likes Ada')
  })

  test.each(upstreams)('reads the prompts and resources of all, and of one that is %s', async (upstream) => {
    const client = await connected(era, '/mcp')
    const name = `${upstream}__test_prompt_with_arguments`
    const { prompts } = await client.listPrompts()
    expect(prompts.map((prompt) => prompt.name)).toContain(name)
    const { messages } = await client.getPrompt({ name, arguments: { arg1: 'one', arg2: 'two' } })
    expect(JSON.stringify(messages)).toContain("arg1='one'")
    const listed = await client.listResources()
    expect(listed.resources.filter(({ uri }) => uri === 'test://static-text')).toHaveLength(1)
    const served = { uri: 'test://static-text', source: 'modern', servedBy: 'legacy' }
    expect(listed).toMatchObject({ _meta: { 'signalbox/hidden': expect.arrayContaining([served]) } })
    const read = await client.readResource({ uri: 'test://template/7/data' })
    expect(JSON.stringify(read.contents)).toContain('Of 7')
    await expect(client.readResource({ uri: 'test://nowhere' })).rejects.toMatchObject({ code: -32_602 })
    const completion = await client.complete({
      ref: { type: 'ref/prompt', name },
      argument: { name: 'arg1', value: 'par' },
    })
    expect(completion.completion.values).toContain('paris')
  })

  test('speaks over stdin and stdout, is asked, hears of progress, and ends', async () => {
    const client = await piped(era)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('search_tools')
    const call = (name: string) => ({ name: 'call_tool', arguments: { name, arguments: {} } })
    const greeting = await client.callTool(call('legacy.test_input_required_result_elicitation'))
    expect(textOf(greeting)).toBe('Hello, Ada!')
    const heard: number[] = []
    await client.callTool(call('modern.test_tool_with_progress'), {
      onprogress: ({ progress }) => void heard.push(progress),
    })
    expect(heard).toEqual([0, 50, 100])
  })

  test('calls the tools of all sources by code, and what a person has to be asked about waits for them', async () => {
    const rule = { tool: 'modern.test_simple_text', effect: 'ask' }
    expect([201, 409]).toContain((await signalbox.call('POST', '/policies/rules', rule)).status)
    const client = await connected(era, '/mcp?tools=code')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'run_code'])
    const query = { query: 'simple text', limit: 10 }
    const { structuredContent } = await client.callTool({ name: 'search_tools', arguments: query })
    const found = (structuredContent as { tools: { code: string }[] }).tools.map(({ code }) => code)
    expect(found).toEqual(
      expect.arrayContaining(['mcp.legacy.test_simple_text', 'mcp.modern.test_simple_text']),
    )
    const described = { name: 'describe_tool', arguments: { name: 'mcp.legacy.test_simple_text' } }
    expect(textOf(await client.callTool(described))).toContain('test_simple_text(')

    const code = `const texts = [await mcp.legacy.test_simple_text(), await mcp.modern.test_simple_text()]
return texts.map((text) => text.length)`
    const running = client.callTool({ name: 'run_code', arguments: { code } })
    const waiting = async () => (await signalbox.call('GET', '/approvals?status=waiting')).body.data
    await vi.waitUntil(async () => (await waiting()).length > 0, { timeout: 30_000, interval: 100 })
    const [asked] = await waiting()
    expect(asked).toMatchObject({ tool: 'modern.test_simple_text', codeRunId: expect.any(String) })
    await signalbox.call('POST', `/approvals/${asked.id}`, { decision: 'granted' })
    expect((await running).structuredContent).toEqual({
      result: [expect.any(Number), expect.any(Number)],
      logs: [],
    })
    const wrong = await client.callTool({
      name: 'run_code',
      arguments: { code: 'return mcp.legacy.nothing()' },
    })
    expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining('line 1, column 19')])
  })

  test('with a token that is not valid is told so', async () => {
    await expect(piped(era, { SIGNALBOX_TOKEN: 'wrong', SIGNALBOX_URL: signalbox.url })).rejects.toThrow(
      /token|did not offer/,
    )
  })
})

describe('web', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const post = (headers: Record<string, string>, path = '/mcp') =>
    fetch(new URL(path, signalbox.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(initialize),
    })
  const packed = (principal: object) => Buffer.from(JSON.stringify(principal)).toString('base64url')

  test('lets nobody in without a token, and says that there is no login', async () => {
    const owner = { id: 'owner', kind: 'owner', name: 'Owner', scopes: ['tools'] }
    const answer = await post({ 'x-signalbox-principal': packed(owner) })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(await answer.text()).toContain('no OAuth server')
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', signalbox.url))
    expect(metadata.status).toBe(404)
  })

  test('does not let anybody say who they are, and gives a session to nobody else', async () => {
    const made = await signalbox.call('POST', '/users', { name: 'mira', scopes: ['tools'] })
    const { token } = made.body.data
    const owner = { id: 'owner', kind: 'owner', name: 'Owner', scopes: ['tools', 'board'] }
    const answer = await post({
      authorization: `Bearer ${token}`,
      'x-signalbox-principal': packed(owner),
    })
    await answer.text()
    const session = { 'mcp-session-id': answer.headers.get('mcp-session-id') ?? '' }
    const asOwner = await post({ authorization: `Bearer ${signalbox.token}`, ...session })
    expect(asOwner.status).toBe(404)
  })

  test.each(upstreams)('tells an upstream that is %s when the client hangs up', async (upstream) => {
    const client = await connected('2026-07-28', `/mcp/raw/${upstream}`)
    const endings = async () => {
      const told = await client.callTool({ name: 'endings', arguments: {} })
      return JSON.parse(textOf(told) ?? '') as { begun: number; ended: number }
    }
    const gone = new AbortController()
    const call = client.callTool({ name: 'endless', arguments: {} }, { signal: gone.signal })
    call.catch(() => undefined)
    await vi.waitUntil(async () => (await endings()).begun === 1, { timeout: 20_000, interval: 100 })
    gone.abort()
    await vi.waitUntil(async () => (await endings()).ended === 1, { timeout: 20_000, interval: 100 })
    await expect(call).rejects.toThrow(/abort/i)
  })

  test('refuses whoever has no scope for it', async () => {
    const made = await signalbox.call('POST', '/users', { name: 'noor', scopes: ['chat'] })
    const authorization = `Bearer ${made.body.data.token}`
    expect((await post({ authorization })).status).toBe(403)
    const forBoard = await signalbox.call('POST', '/users', { name: 'ole', scopes: ['board'] })
    const board = `Bearer ${forBoard.body.data.token}`
    expect((await post({ authorization: board })).status).toBe(200)
    expect((await post({ authorization: board }, '/mcp/raw/legacy')).status).toBe(403)
  })
})

test('signalbox mcp --print names the token and never shows it', async () => {
  for (const client of ['claude', 'codex', 'gemini']) {
    const child = spawn(process.execPath, [join(root, 'src/main/signalbox.ts'), 'mcp', '--print', client], {
      env: { SIGNALBOX_HOME: signalbox.home, PATH: process.env['PATH'] ?? '' },
    })
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
    await once(child, 'close')
    expect(printed).toContain(`${signalbox.url}/mcp`)
    expect(printed).toContain('SIGNALBOX_TOKEN')
    expect(printed).not.toContain(signalbox.token)
  }
})
