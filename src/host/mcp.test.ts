import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createMCPClient } from '@ai-sdk/mcp'
import type { MCPClientConfig } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openTestWorkspace } from '../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../test/support/workspace-tools.ts'
import { openToolPort } from './tool-port.ts'
import type { OpenPort } from './tool-port.ts'

const program = join(import.meta.dirname, '../main/host.ts')
const names = ['edit_file', 'execute_command', 'list_files', 'read_file', 'search_files', 'write_file']
const health = () => ({}) as never

type Client = Awaited<ReturnType<typeof createMCPClient>>
type Run = (tool: string, input: object) => Promise<{ text: string; isError: boolean }>

async function runnerOf(client: Client): Promise<Run> {
  return async (name, args) => {
    const { content, isError } = (await client.callTool({
      name,
      arguments: args as Record<string, unknown>,
    })) as {
      content: { text: string }[]
      isError?: boolean
    }
    return { text: content.map(({ text }) => text).join('\n'), isError: isError ?? false }
  }
}

/** What any client can do with a workspace, whichever era it speaks. */
async function useAll(client: Client, root: string): Promise<void> {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name).toSorted()).toEqual(names)
  const run = await runnerOf(client)
  expect(await run('write_file', { path: 'a/b.txt', content: 'one\ntwo\n' })).toMatchObject({
    isError: false,
  })
  expect(readFileSync(join(root, 'a/b.txt'), 'utf8')).toBe('one\ntwo\n')
  expect((await run('read_file', { path: 'a/b.txt', range: { start: 2, end: 2 } })).text).toMatch(/^two\n/)
  expect((await run('edit_file', { path: 'a/b.txt', find: 'two', replace: 'three' })).text).toContain(
    '+three',
  )
  expect((await run('list_files', {})).text).toContain('folder\t\ta')
  expect((await run('search_files', { pattern: '**/*.txt' })).text).toBe('a/b.txt\n')
  const found = await run('search_files', { pattern: 'thr.e', type: 'content' })
  expect(found.text).toBe('a/b.txt:2: three\n')
  const ran = await run('execute_command', { command: 'echo hello; echo no >&2; exit 3', timeout: 120_000 })
  expect(ran).toEqual({ text: 'hello\n\n[stderr]\nno\n\n[exit code 3]', isError: false })
  expect(await run('read_file', { path: '../secret' })).toMatchObject({ isError: true })
  expect(await run('read_file', { path: 3 })).toMatchObject({ isError: true })
  expect(await run('read_file', { path: 'a/b.txt', nonsense: true })).toMatchObject({ isError: true })
  expect(await run('execute_command', { command: 'sleep 60', timeout: 50 })).toMatchObject({
    text: expect.stringContaining('timed out'),
  })
}

const eras = [
  { era: 'introduced', protocolVersionDiscovery: false, version: '2025-11-25' },
  { era: 'stateless', protocolVersionDiscovery: true, version: '2026-07-28' },
] as const

describe('over HTTP', () => {
  let workspace: TestWorkspace
  let port: OpenPort
  beforeEach(async () => {
    workspace = openTestWorkspace()
    port = await openToolPort({ port: 0, tools: workspace.tools, health, log: () => undefined })
  })
  afterEach(async () => {
    await port.close()
    await workspace.close()
  })

  it.each(eras)('serves a real client of the $era era', async ({ protocolVersionDiscovery, version }) => {
    const url = `http://127.0.0.1:${port.port}/mcp`
    const config = { transport: { type: 'http', url }, protocolVersionDiscovery } as MCPClientConfig
    const client = await createMCPClient(config)
    expect(client.initializeResult).toMatchObject({ protocolVersion: version })
    await useAll(client, workspace.root)
    await client.close()
  })

  const meta = (version: string) => ({
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  })
  async function post(message: unknown, headers: Record<string, string> = {}) {
    const answer = await fetch(`http://127.0.0.1:${port.port}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    })
    const text = await answer.text()
    return { status: answer.status, body: text ? JSON.parse(text) : undefined }
  }
  const stateless = (method: string, params: object = {}, version = '2026-07-28') => ({
    jsonrpc: '2.0',
    id: 7,
    method,
    params: { ...params, _meta: meta(version) },
  })
  const headersOf = (method: string, version = '2026-07-28') => ({
    'mcp-protocol-version': version,
    'mcp-method': method,
  })

  it('says of the stateless era what it asks to be said', async () => {
    const listed = await post(stateless('tools/list'), headersOf('tools/list'))
    expect(listed).toMatchObject({
      status: 200,
      body: { id: 7, result: { resultType: 'complete', cacheScope: 'private', ttlMs: expect.any(Number) } },
    })
    const old = await post(stateless('tools/list', {}, '2030-01-01'), headersOf('tools/list', '2030-01-01'))
    expect(old).toMatchObject({
      status: 400,
      body: { error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2030-01-01' } } },
    })
    const mixed = await post(stateless('tools/list'), headersOf('tools/call'))
    expect(mixed).toMatchObject({ status: 400, body: { error: { code: -32020 } } })
    const named = await post(stateless('tools/call', { name: 'read_file', arguments: { path: 'x' } }), {
      ...headersOf('tools/call'),
      'mcp-name': 'write_file',
    })
    expect(named).toMatchObject({ status: 400, body: { error: { code: -32020 } } })
    expect(await post(stateless('ping'), headersOf('ping'))).toMatchObject({
      status: 404,
      body: { error: { code: -32601 } },
    })
  })

  it('answers what is no message, and what needs no answer', async () => {
    expect(await post('{')).toMatchObject({ status: 400, body: { error: { code: -32700 } } })
    for (const odd of [[], 'null', { jsonrpc: '2.0', id: {}, method: 'ping' }, { id: 1, method: 'ping' }])
      expect(await post(odd)).toMatchObject({ status: 400, body: { error: { code: -32600 } } })
    expect(await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({ status: 202 })
    expect(await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).toMatchObject({ body: { result: {} } })
    const unknown = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'constructor' } }
    expect(await post(unknown)).toMatchObject({ status: 200, body: { error: { code: -32602 } } })
    expect((await fetch(`http://127.0.0.1:${port.port}/mcp`)).status).toBe(405)
    const strange = await post(
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { 'mcp-protocol-version': '1999-01-01' },
    )
    expect(strange).toMatchObject({ status: 400, body: { error: { code: -32022 } } })
  })

  it('is not there for pages of others', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await post(ping, { origin: 'http://evil.example' })).status).toBe(403)
    expect((await post(ping, { origin: 'http://localhost:1234' })).status).toBe(200)
  })

  it('refuses what a person would be asked for, whatever the caller says', async () => {
    workspace.rules.push({ pattern: 'rm *', decision: 'ask' })
    writeFileSync(join(workspace.root, 'kept'), '')
    const input = { command: 'rm kept', confirm: true }
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'execute_command', arguments: input },
    }
    const { body } = await post(call)
    expect(body.result).toMatchObject({ isError: true })
    expect(body.result.content[0].text).toContain('a person has to confirm this')
    const plain = await fetch(`http://127.0.0.1:${port.port}/command`, {
      method: 'POST',
      body: JSON.stringify(input),
    })
    expect(plain.status).toBe(403)
    expect(readFileSync(join(workspace.root, 'kept'), 'utf8')).toBe('')
  })
})

describe('over stdio', () => {
  let root: string
  const children: ChildProcessWithoutNullStreams[] = []
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'mcp-root-'))
  })
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.stdin.end() // killed, it could not clear up after itself
      if (child.exitCode === null && child.signalCode === null)
        await new Promise((resolve) => child.once('exit', resolve))
    }
    rmSync(root, { recursive: true })
  })

  it.each(eras)('serves a real client of the $era era', async ({ protocolVersionDiscovery, version }) => {
    const transport = new StdioTransport({
      command: process.execPath,
      args: [program, 'mcp', '--root', root],
    })
    // Else it gives up after a second, in which a busy machine has not started a program.
    Object.assign(transport, { waitsForProtocolVersionDiscovery: true })
    const client = await createMCPClient({ transport, protocolVersionDiscovery } as MCPClientConfig)
    expect(client.initializeResult).toMatchObject({ protocolVersion: version })
    await useAll(client, root)
    await client.close()
  })

  function start() {
    const child = spawn(process.execPath, [program, 'mcp', '--root', root])
    children.push(child)
    const heard: { id: unknown; result?: object; error?: object }[] = []
    createInterface({ input: child.stdout }).on('line', (line) => heard.push(JSON.parse(line)))
    const say = (message: unknown) =>
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
    const exited = new Promise((resolve) => child.once('exit', resolve))
    const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 20 })
    return { child, heard, say, exited, until }
  }
  const command = (id: number, text: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'execute_command', arguments: { command: text, timeout: 60_000 } },
  })

  it('gives up what is cancelled, goes on with the rest, and answers out of order', async () => {
    const { heard, say, until } = start()
    say(command(1, 'echo $$ > pid; exec sleep 1000'))
    const pid = await pidIn(root, until)
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    say('this is no JSON')
    say(command(2, 'echo second'))
    await until(() => expect(heard.map(({ id }) => id)).toEqual([null, 2]))
    await until(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'))
    say(command(3, 'echo third'))
    await until(() => expect(heard.map(({ id }) => id)).toEqual([null, 2, 3]))
  })

  it.each(['the end', 'SIGTERM'])('ends by %s, and takes along what it runs', async (how) => {
    const { child, say, exited, until } = start()
    say(command(1, 'echo $$ > pid; exec sleep 1000'))
    const pid = await pidIn(root, until)
    if (how === 'SIGTERM') child.kill(how)
    else child.stdin.end()
    expect(await exited).toBe(0)
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  it('says that there is no such folder', async () => {
    const child = spawn(process.execPath, [program, 'mcp', '--root', join(root, 'nowhere')])
    children.push(child)
    let said = ''
    child.stderr.on('data', (piece: Buffer) => (said += piece.toString()))
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1)
    expect(said).toContain('There is no folder')
  })
})

/** What a command has written there of itself. */
async function pidIn(root: string, until: (check: () => void) => Promise<void>): Promise<number> {
  let pid = 0
  await until(() => {
    pid = Number(readFileSync(join(root, 'pid'), 'utf8'))
    expect(pid).toBeGreaterThan(0)
  })
  return pid
}
