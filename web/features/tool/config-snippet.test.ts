import { describe, expect, it } from 'vitest'
import { AddSource } from '#contract/source.ts'
import { looksLikeSnippet, readSnippet, sourceName } from './config-snippet.ts'

const read = (value: unknown) => {
  const snippet = readSnippet(typeof value === 'string' ? value : JSON.stringify(value))
  return 'servers' in snippet ? snippet.servers.map(({ name, config }) => ({ name, config })) : snippet.fault
}
const memory = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] }
const stdio = { transport: 'stdio', ...memory }

describe('a piece of configuration', () => {
  it.each([
    ['of Claude and Cursor', { mcpServers: { memory } }],
    ['of VS Code', { servers: { memory: { type: 'stdio', ...memory } } }],
    ['of VS Code’s settings, and ours', { mcp: { servers: { memory } } }],
    ['of opencode', { mcp: { memory: { type: 'local', command: ['npx', ...memory.args] } } }],
    ['of Zed', { context_servers: { memory: { command: { path: 'npx', args: memory.args } } } }],
    ['without its key', { memory }],
    ['without the outer brackets', `"memory": ${JSON.stringify(memory)},`],
    [
      'with comments and a comma too many',
      `{ // mine\n "mcpServers": { "memory": ${JSON.stringify(memory)}, } /* end */ }`,
    ],
  ])('%s is read', (_, value) => {
    expect(read(value)).toEqual([{ name: 'memory', config: stdio }])
  })

  it('keeps addresses, headers, variables, time-outs and what is switched off', () => {
    expect(
      read({
        mcpServers: {
          web: {
            type: 'streamable-http',
            url: 'https://a.example/mcp',
            headers: { Authorization: 'Bearer ${env:TOKEN}' },
          },
          gemini: { httpUrl: 'https://b.example/mcp', timeout: 5000 },
          old: { url: 'https://c.example/sse' },
          socket: { url: 'wss://d.example/mcp', disabled: true },
          local: {
            command: 'node',
            args: ['//x', 1],
            env: { KEY: '${env:KEY}', URL: 'https://e.example//f' },
            cwd: '/work',
          },
        },
      }),
    ).toEqual([
      {
        name: 'web',
        config: {
          transport: 'http',
          url: 'https://a.example/mcp',
          headers: { Authorization: 'Bearer ${TOKEN}' },
        },
      },
      { name: 'gemini', config: { transport: 'http', url: 'https://b.example/mcp', timeout: 5000 } },
      { name: 'old', config: { transport: 'sse', url: 'https://c.example/sse' } },
      { name: 'socket', config: { transport: 'websocket', url: 'wss://d.example/mcp', enabled: false } },
      {
        name: 'local',
        config: {
          transport: 'stdio',
          command: 'node',
          args: ['//x', '1'],
          env: { KEY: '${KEY}', URL: 'https://e.example//f' },
          cwd: '/work',
        },
      },
    ])
  })

  it('gives what the server takes', () => {
    const snippet = readSnippet(
      JSON.stringify({ mcpServers: { 'My Server (v2)': memory, '@scope/pkg': { url: 'http://a/mcp' } } }),
    )
    if (!('servers' in snippet)) throw new Error(snippet.fault)
    expect(snippet.servers.map(({ name }) => name)).toEqual(['My-Server-v2', 'scope-pkg'])
    for (const { name, config } of snippet.servers)
      expect(AddSource.safeParse({ name, config }).error).toBeUndefined()
  })

  it('says why it is none, or what of it is left out', () => {
    expect(read('hello')).toBe('not-json')
    expect(read('[1]')).toBe('not-json')
    expect(read({ a: 1 })).toBe('no-servers')
    expect(read({ mcpServers: {} })).toBe('no-servers')
    expect(
      readSnippet(
        JSON.stringify({ mcpServers: { good: memory, empty: {}, odd: { type: 'pigeon', url: 'http://a' } } }),
      ),
    ).toMatchObject({
      servers: [{ name: 'good' }],
      leftOut: [
        { name: 'empty', why: 'no-place' },
        { name: 'odd', why: 'unknown-kind' },
      ],
    })
  })

  it('is known when it is pasted, and a command line is none', () => {
    expect(looksLikeSnippet(JSON.stringify({ mcpServers: { memory } }))).toBe(true)
    expect(looksLikeSnippet('npx -y @scope/server')).toBe(false)
    expect(looksLikeSnippet('{not json')).toBe(false)
    expect(looksLikeSnippet('https://a/{b}')).toBe(false)
  })
})

it('makes a name that a source may have', () => {
  expect(['a b', '__x__', 'a__b', '日本', 'x'.repeat(40)].map(sourceName)).toEqual([
    'a-b',
    'x',
    'a_b',
    'server',
    'x'.repeat(32),
  ])
})
