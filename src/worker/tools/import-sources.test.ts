import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { ImportFrom } from '#contract/source.ts'
import { openMachineSources } from '../../../test/support/machine-sources.ts'
import { importSources } from './import-sources.ts'

async function openImport(files: Record<string, string | object>) {
  const machine = await openMachineSources()
  const { home, pool, sources } = machine
  const userHome = join(home, 'user')
  for (const [name, content] of Object.entries(files)) {
    const file = join(userHome, name)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }
  const env = { HOME: userHome, SIGNALBOX_HOME: home, ALLOWED_WORKING_DIRS: join(userHome, 'project') }
  const config = () => loadConfig({ env, cwd: userHome })
  const needs = { db: pool.db, sources, config, env, userHome }
  const take = (from: ImportFrom, more: { names?: string[]; dryRun?: boolean } = {}) =>
    importSources(needs, 'owner', { from, dryRun: false, ...more })
  return { ...machine, take }
}

describe('what Claude was told', () => {
  const files = {
    '.claude.json': {
      mcpServers: {
        'My Files!': { type: 'stdio', command: 'sh', args: ['-c', 'true'], env: { KEY: 'key-123456' } },
        signalbox: { type: 'http', url: 'http://127.0.0.1:4100/mcp' },
        ours: { command: '/usr/local/bin/signalbox', args: ['mcp'] },
        gone: { command: 'no-such-program-here' },
        board: { command: 'sh' },
        api: { type: 'http', url: 'https://example.com/mcp', headers: { 'X-Key': '${API_KEY:-none}' } },
      },
      projects: { '/somewhere/else': { mcpServers: { elsewhere: { command: 'sh' } } } },
    },
    'project/.mcp.json': { mcpServers: { api: { type: 'sse', url: 'https://other.example.com/sse' } } },
  }

  it('is taken as far as it can be, and the rest is told with why', async () => {
    const { take, sources } = await openImport(files)
    const { imported, skipped } = await take('claude')
    expect(imported).toEqual(['My-Files', 'api'])
    expect(Object.fromEntries(skipped.map(({ name, why }) => [name, why]))).toMatchObject({
      signalbox: 'it is Signalbox itself',
      ours: 'it is Signalbox itself',
      gone: expect.stringContaining('no program no-such-program-here'),
      board: expect.stringContaining('no name'),
      elsewhere: expect.stringContaining('config.cwd'),
      api: 'there is another api in the same configuration',
    })
    expect(sources.rows()).toMatchObject([
      { name: 'My-Files', origin: 'import', config: { env: { KEY: '•••' } } },
      { name: 'api', config: { headers: { 'X-Key': '${API_KEY:-none}' } } },
    ])
    expect((await take('claude')).imported).toEqual([])
  })

  it('is only told in a dry run, and only what was named is taken', async () => {
    const { take, sources } = await openImport(files)
    expect((await take('claude', { dryRun: true })).imported).toEqual(['My-Files', 'api'])
    expect(sources.rows()).toEqual([])
    expect(await take('claude', { names: ['api', 'nobody'] })).toEqual({
      imported: ['api'],
      skipped: [
        { name: 'api', why: 'there is another api in the same configuration' },
        { name: 'nobody', why: 'claude knows no such server' },
      ],
    })
  })
})

it('takes what Codex was told', async () => {
  const { take, sources } = await openImport({
    '.codex/config.toml': `
model = "gpt"
[mcp_servers.local]
command = "sh"
args = ["-c", "true"]
env_vars = ["LANG"]
tool_timeout_sec = 90
[mcp_servers.local.env]
KEY = "key-123456"
[mcp_servers.far]
url = "https://example.com/mcp"
bearer_token_env_var = "FAR_TOKEN"
env_http_headers = { "X-Org" = "FAR_ORG" }
enabled = false
enabled_tools = ["read"]
`,
  })
  expect(await take('codex')).toEqual({ imported: ['local', 'far'], skipped: [] })
  expect(sources.rows()).toMatchObject([
    { config: { transport: 'stdio', timeout: 90_000, env: { LANG: '${LANG}', KEY: '•••' } } },
    {
      config: {
        transport: 'http',
        enabled: false,
        tools: ['read'],
        auth: { type: 'bearer', token: '${FAR_TOKEN}' },
        headers: { 'X-Org': '${FAR_ORG}' },
      },
    },
  ])
})

it('takes what Gemini was told', async () => {
  const { take, sources } = await openImport({
    '.gemini/settings.json': {
      mcpServers: {
        local: { command: 'sh', env: { KEY: '$MY_KEY' }, timeout: 5000, trust: true, includeTools: ['a'] },
        streamed: { httpUrl: 'https://example.com/mcp', headers: { A: 'secret-123456' } },
        old: { url: 'https://example.com/sse' },
      },
    },
  })
  expect((await take('gemini')).imported).toEqual(['local', 'streamed', 'old'])
  expect(sources.rows()).toMatchObject([
    { config: { transport: 'stdio', timeout: 5000, env: { KEY: '${MY_KEY}' }, tools: ['a'] } },
    { config: { transport: 'http', headers: { A: '•••' } } },
    { config: { transport: 'sse' } },
  ])
})

it('takes what Gemini was told between comments', async () => {
  const { take } = await openImport({
    '.gemini/settings.json': `{ // mine
      "mcpServers": { /* two of them */ "local": { "command": "sh", "args": ["//"] } } }`,
  })
  expect((await take('gemini')).imported).toEqual(['local'])
})

it('says which file cannot be read, and finds nothing where there is none', async () => {
  const { take } = await openImport({ '.gemini/settings.json': '{ broken' })
  await expect(take('gemini')).rejects.toMatchObject({
    code: 'bad_source',
    message: expect.stringContaining('settings.json'),
  })
  expect(await take('codex')).toEqual({ imported: [], skipped: [] })
})
