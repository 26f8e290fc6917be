import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { Config } from '#config/config.ts'
import { SourceConfig } from '#contract/source.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { listAudit } from '#db/audit-reads.ts'
import { readEvents } from '#db/events.ts'
import { listSources } from '#db/sources.ts'
import { openMachineSources } from '../../../test/support/machine-sources.ts'
import { followYaml, takeFile, takeYaml } from './written-sources.ts'

type Servers = Config['mcp']['servers']

const key = 'key-of-${mine}'

/** As the configuration of this home has it. */
function servers(home: string, yaml: string): Config['mcp'] {
  writeFileSync(join(home, 'signalbox.config.yaml'), yaml)
  const env = { HOME: home, SIGNALBOX_HOME: home, MY_KEY: key }
  return loadConfig({ env, cwd: home }).mcp
}

const yaml = (level: string, more = '') => `
mcp:
  servers:
    one:
      transport: stdio
      command: sh
      environment: { LEVEL: "${level}", KEY: "\${MY_KEY}" }
    ${more}
`

describe('sources in the YAML file', () => {
  it('come, change and go with it', async () => {
    const { sources, written, home, opened, pool } = await openMachineSources({ MY_KEY: key })
    const second = 'two: { transport: http, url: "https://example.com/mcp", grants: [agents] }'
    await takeYaml(written, servers(home, yaml('1', second)))
    expect(sources.rows()).toMatchObject([
      { name: 'one', origin: 'yaml', createdBy: 'configuration' },
      { name: 'two', origin: 'yaml', config: { grants: ['agents'] } },
    ])
    expect(opened[0]?.config.env).toEqual({ LEVEL: '1', KEY: key })
    await takeYaml(written, servers(home, yaml('1', second)))
    expect(opened).toHaveLength(2) // the same: left alone
    await takeYaml(written, servers(home, yaml('2')))
    expect(opened.at(-1)?.config.env).toEqual({ LEVEL: '2', KEY: key })
    expect((await listSources(pool.db)).map(({ name }) => name)).toEqual(['one'])
    expect(sources.health().map(({ name }) => name)).toEqual(['one'])
  })

  it('name their variables as the file does, for other programs too', async () => {
    const { written, home, opened, sources } = await openMachineSources({ MY_KEY: key, SIZE: '2' })
    const more = `two:
        transport: stdio
        command: sh
        env: { A: "\${MY_KEY}", B: "\${MY_KEY}" }
        environment: { B: plain, C: "x-\${MY_KEY}", D: "$\${MY_KEY}" }
        headers: { Authorization: "Bearer \${MY_KEY}" }`
    await takeYaml(written, servers(home, yaml('1', more)))
    const file = JSON.parse(readFileSync(join(home, 'mcp-config.json'), 'utf8'))
    expect(file.mcpServers).toMatchObject({
      one: { env: { KEY: '${MY_KEY}' } },
      two: {
        env: { A: '${MY_KEY}', B: '${B}', C: '${C}', D: '${D}' },
        headers: { Authorization: 'Bearer ${MY_KEY}' },
      },
    })
    expect(opened.at(-1)?.config).toMatchObject({
      env: { A: key, B: 'plain', C: `x-${key}`, D: '${MY_KEY}' },
      headers: { Authorization: `Bearer ${key}` },
    })
    expect(sources.health()).toMatchObject([{ status: 'healthy' }, { status: 'healthy' }])
  })

  it('can be changed and removed nowhere else', async () => {
    const { sources, written, home, pool } = await openMachineSources({ MY_KEY: key })
    await takeYaml(written, servers(home, yaml('1')))
    await expect(sources.edit('owner', 'one', { enabled: false })).rejects.toMatchObject({
      code: 'source_in_file',
    })
    await expect(sources.remove('owner', 'one')).rejects.toMatchObject({
      code: 'source_in_file',
      message: expect.stringContaining('mcp.servers.one'),
    })
    expect(await listSources(pool.db)).toMatchObject([{ name: 'one', config: { enabled: true } }])
    expect(sources.health()).toMatchObject([{ name: 'one', status: 'healthy' }])
  })

  it('never take the place of one that was registered, and a bad one does not stop the others', async () => {
    const { sources, written, home, told } = await openMachineSources()
    const config = SourceConfig.parse({ transport: 'http', url: 'https://example.com/mcp' })
    await sources.add('owner', { name: 'one', config }, 'api')
    const more = 'board: { transport: stdio, command: sh }\n    three: { transport: stdio, command: sh }'
    await takeYaml(written, servers(home, yaml('1', more)))
    expect(sources.rows().map(({ name, origin }) => [name, origin])).toEqual([
      ['one', 'api'],
      ['three', 'yaml'],
    ])
    expect(told.map(({ where }) => where)).toEqual(['mcp.servers.one', 'mcp.servers.board'])
  })
})

describe('a thousand sources in the YAML file', () => {
  const many = (count: number, timeout: number): { servers: Servers } => ({
    servers: Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `s${at}`,
        { transport: 'http', url: `https://example.com/mcp/${at}`, timeout } as Servers[string],
      ]),
    ),
  })

  it('are kept at once, and the file is written once', async () => {
    const { sources, written, pool, opened, wrote, home, registry } = await openMachineSources()
    await takeYaml(written, many(1_000, 1_000))
    expect(wrote).toEqual([1_000])
    expect(opened).toHaveLength(1_000)
    expect(sources.health()).toHaveLength(1_000)
    expect(await listSources(pool.db)).toHaveLength(1_000)
    const file = JSON.parse(readFileSync(join(home, 'mcp-config.json'), 'utf8'))
    expect(file.mcpServers.s999).toMatchObject({ url: 'https://example.com/mcp/999' })
    const { events } = await readEvents(pool.db, BOARD_STREAM, 0, 1_000)
    expect(events.filter(({ type }) => type === 'mcpAdded')).toHaveLength(1_000)
    const audit = { page: 1, pageSize: 1, kind: 'source' as const }
    expect(await listAudit(pool.db, audit)).toMatchObject({ total: 1_000, data: [{ subject: 'add s999' }] })

    await takeYaml(written, many(500, 2_000))
    expect(wrote).toEqual([1_000, 500])
    expect(await listAudit(pool.db, audit)).toMatchObject({ total: 2_000 })
    expect((await listSources(pool.db)).filter(({ config }) => config.timeout === 2_000)).toHaveLength(500)
    expect(sources.rows()).toHaveLength(500)
    expect(registry.source('s500')).toBeUndefined()
    await takeYaml(written, many(500, 2_000))
    expect(wrote).toEqual([1_000, 500])
  })

  it('are nowhere when they cannot be written down, which is told once', async () => {
    const { sources, written, pool, told, home, registry } = await openMachineSources()
    mkdirSync(join(home, 'mcp-config.json'))
    await takeYaml(written, many(20, 1_000))
    expect(await listSources(pool.db)).toEqual([])
    expect(await readEvents(pool.db, BOARD_STREAM, 0, 10)).toMatchObject({ events: [] })
    expect(sources.rows()).toEqual([])
    expect(registry.source('s0')).toBeUndefined()
    expect(told.filter(({ where }) => where !== undefined)).toMatchObject([{ where: 'mcp.servers' }])
  })

  it('are as the file is in the end, however often it is read', async () => {
    const { sources, written } = await openMachineSources()
    const contents = [many(30, 1_000), many(10, 1_000), many(20, 2_000)]
    const take = followYaml(written, () => contents.shift() ?? { servers: {} })
    await Promise.all([take(), take(), take()])
    expect(sources.rows()).toHaveLength(20)
    expect(sources.rows().every(({ config }) => config.timeout === 2_000)).toBe(true)
  })

  it('are made although some cannot be, each of which is told', async () => {
    const { sources } = await openMachineSources()
    const config = SourceConfig.parse({ transport: 'http', url: 'https://example.com/mcp' })
    const absent = SourceConfig.parse({ transport: 'stdio', command: 'no-such-program-here' })
    await sources.add('owner', { name: 'taken', config }, 'api')
    const refused: unknown[] = []
    const added = [
      { name: 'absent', config: absent },
      { name: 'taken', config },
      { name: 'one', config },
    ]
    const changed = [{ name: 'gone', config }]
    await sources.take('configuration', { origin: 'yaml', added, changed, removed: [] }, (name, why) =>
      refused.push([name, (why as { code: string }).code]),
    )
    expect(refused).toEqual([
      ['absent', 'bad_source'],
      ['taken', 'source_name_taken'],
      ['gone', 'source_not_found'],
    ])
    expect(sources.rows().map(({ name, origin }) => [name, origin])).toEqual([
      ['taken', 'api'],
      ['one', 'yaml'],
    ])
  })
})

describe('sources in mcp-config.json', () => {
  const write = (home: string, content: unknown) =>
    writeFileSync(
      join(home, 'mcp-config.json'),
      typeof content === 'string' ? content : JSON.stringify(content),
    )
  const read = (home: string) => readFileSync(join(home, 'mcp-config.json'), 'utf8')

  it('are taken at the start, and what else stands there stays', async () => {
    const { sources, written, home, told } = await openMachineSources()
    const odd = { type: 'carrier-pigeon' }
    write(home, {
      mine: { a: 1 },
      mcpServers: {
        files: { command: 'sh', args: ['-c', 'true'], env: { TOKEN: 'tok-123456' }, alwaysAllow: ['x'] },
        remote: { type: 'streamable-http', url: 'https://example.com/mcp', disabled: true },
        'bad name': { command: 'sh' },
        odd,
      },
    })
    await takeFile(written)
    expect(sources.rows()).toMatchObject([
      { name: 'files', origin: 'file', config: { transport: 'stdio', env: { TOKEN: '•••' } } },
      { name: 'remote', origin: 'file', config: { transport: 'http', enabled: false } },
    ])
    expect(told.map(({ where }) => where)).toEqual(['mcp-config.json: bad name', 'mcp-config.json: odd'])
    expect(JSON.parse(read(home))).toEqual({
      mine: { a: 1 },
      mcpServers: {
        'bad name': { command: 'sh' },
        odd,
        files: { type: 'stdio', command: 'sh', args: ['-c', 'true'], env: { TOKEN: '${TOKEN}' } },
        remote: { type: 'http', url: 'https://example.com/mcp', disabled: true },
      },
    })
  })

  it('are known again, with their secrets, when we wrote them ourselves', async () => {
    const { written, home, openAgain, opened } = await openMachineSources()
    write(home, { mcpServers: { files: { command: 'sh', env: { TOKEN: 'tok-123456' } } } })
    await takeFile(written)
    const next = openAgain()
    await next.sources.begin()
    opened.length = 0
    await takeFile(next.written)
    expect(opened).toEqual([])
    const edited = JSON.parse(read(home))
    edited.mcpServers.files.args = ['-e']
    write(home, edited)
    await takeFile(next.written)
    expect(opened).toMatchObject([{ config: { args: ['-e'], env: { TOKEN: 'tok-123456' } } }])
    expect(next.sources.rows()).toHaveLength(1)
  })

  it('do not change what was registered otherwise', async () => {
    const { sources, written, home, told } = await openMachineSources()
    const config = SourceConfig.parse({ transport: 'http', url: 'https://example.com/mcp' })
    await sources.add('owner', { name: 'one', config }, 'api')
    const before = read(home)
    write(home, { mcpServers: { one: { type: 'http', url: 'https://evil.example.com/mcp' } } })
    await takeFile(written)
    expect(sources.rows()).toMatchObject([{ name: 'one', config: { url: 'https://example.com/mcp' } }])
    expect(told).toMatchObject([{ where: 'mcp-config.json: one' }])
    written.file.write(sources.rows())
    expect(read(home)).toBe(before)
  })

  it('stay beside what people write there while it runs', async () => {
    const { sources, written, home, openAgain, told } = await openMachineSources()
    await takeFile(written)
    const config = SourceConfig.parse({ transport: 'http', url: 'https://example.com/mcp' })
    for (const name of ['one', 'two', 'gone']) await sources.add('owner', { name, config }, 'file')
    const edited = JSON.parse(read(home))
    const theirs = { command: 'sh', note: 'mine' }
    const changed = { ...edited.mcpServers.two, timeout: 5_000 }
    write(home, { ...edited, top: [1], mcpServers: { ...edited.mcpServers, theirs, two: changed } })
    await sources.edit('owner', 'one', { timeout: 1_000 })
    await sources.remove('owner', 'gone')
    await sources.add('owner', { name: 'new', config }, 'api')
    expect(JSON.parse(read(home))).toMatchObject({ top: [1], mcpServers: { one: { timeout: 1_000 } } })
    expect(JSON.parse(read(home)).mcpServers).toMatchObject({ theirs, two: changed, new: { type: 'http' } })
    expect(JSON.parse(read(home)).mcpServers).not.toHaveProperty('gone')

    write(home, '{"mcpServers": ')
    await sources.edit('owner', 'one', { timeout: 2_000 })
    expect(read(home)).toBe('{"mcpServers": ')
    expect(told.at(-1)).toMatchObject({ msg: expect.stringContaining('not understood') })

    write(home, { mcpServers: { theirs, two: changed } })
    const next = openAgain()
    await next.sources.begin()
    await takeFile(next.written)
    const timeouts = Object.fromEntries(next.sources.rows().map((row) => [row.name, row.config.timeout]))
    expect(timeouts).toEqual({ one: 2_000, two: 5_000, new: 30_000, theirs: 30_000 })
  })

  it.each(['{"mcpServers": {', '[]', '{"mcpServers": []}', '{"mcpServers": {"a": 1}}'])(
    'are left alone where they are not understood: %s',
    async (broken) => {
      const { sources, written, home, told } = await openMachineSources()
      write(home, broken)
      await takeFile(written)
      expect(told).toMatchObject([{ msg: expect.stringContaining('not understood') }])
      const config = SourceConfig.parse({ transport: 'http', url: 'https://example.com/mcp' })
      await sources.add('owner', { name: 'one', config }, 'api')
      expect(read(home)).toBe(broken)
      write(home, { mcpServers: {} }) // mended
      await sources.edit('owner', 'one', { timeout: 1_000 })
      expect(JSON.parse(read(home)).mcpServers).toMatchObject({ one: { timeout: 1_000 } })
    },
  )
})
