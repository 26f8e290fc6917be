import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { listAudit } from '#db/audit-reads.ts'
import { readEvents } from '#db/events.ts'
import type { Database } from '#db/pool.ts'
import { listSources } from '#db/sources.ts'
import { openMachineSources } from '../../../test/support/machine-sources.ts'

const config = (more: object = {}): SourceConfig =>
  SourceConfig.parse({ transport: 'stdio', command: 'sh', ...more })
const http = (more: object = {}): SourceConfig =>
  SourceConfig.parse({ transport: 'http', url: 'https://example.com/mcp', ...more })

async function boardTypes(db: Database): Promise<string[]> {
  const { events } = await readEvents(db, BOARD_STREAM, 0, 100)
  return events.map(({ type }) => type)
}

describe('a source that is added', () => {
  it('is kept with its secrets sealed, told on the board, and noted', async () => {
    const { sources, pool, opened, registry } = await openMachineSources()
    const source = await sources.add(
      'owner',
      { name: 'one', config: config({ env: { KEY: 'secret-123456' } }) },
      'api',
    )
    expect(source).toMatchObject({
      name: 'one',
      origin: 'api',
      createdBy: 'owner',
      health: { status: 'healthy' },
    })
    expect(source.config.env).toEqual({ KEY: '•••' })
    expect(opened).toMatchObject([
      { name: 'one', config: { env: { KEY: 'secret-123456' }, command: '/usr/bin/sh' } },
    ])
    const [row] = await listSources(pool.db)
    expect(JSON.stringify(row?.config)).not.toContain('secret-123456')
    expect(row?.secrets?.toString('latin1')).not.toContain('secret-123456')
    expect(await boardTypes(pool.db)).toContain('mcpAdded')
    const { data } = await listAudit(pool.db, { page: 1, pageSize: 10, kind: 'source' })
    expect(data).toMatchObject([{ subject: 'add one', actor: 'owner', outcome: 'ok' }])
    expect(registry.source('one')).toBeDefined()
  })

  it('has a name that nobody else has', async () => {
    const { sources, opened } = await openMachineSources()
    await sources.add('owner', { name: 'one', config: config() }, 'api')
    await expect(sources.add('owner', { name: 'one', config: config() }, 'api')).rejects.toMatchObject({
      code: 'source_name_taken',
    })
    expect(opened).toHaveLength(1)
  })

  it('is nowhere when it cannot be written down', async () => {
    const { sources, pool, home, registry } = await openMachineSources()
    mkdirSync(join(home, 'mcp-config.json'))
    await expect(sources.add('owner', { name: 'one', config: http() }, 'api')).rejects.toMatchObject({
      code: 'source_not_kept',
    })
    expect(await listSources(pool.db)).toEqual([])
    expect(await boardTypes(pool.db)).toEqual([])
    expect(registry.source('one')).toBeUndefined()
  })

  it('is refused when it only sends back what it was shown', async () => {
    const { sources } = await openMachineSources()
    await expect(
      sources.add('owner', { name: 'one', config: config({ env: { KEY: '•••' } }) }, 'api'),
    ).rejects.toMatchObject({ code: 'bad_source', message: expect.stringContaining('env.KEY') })
  })

  it('is kept while a variable is missing, and its health says which', async () => {
    const { sources, opened } = await openMachineSources()
    const wanted = { name: 'one', config: http({ headers: { Authorization: 'Bearer ${NOT_SET_HERE}' } }) }
    const { health, config: shown } = await sources.add('owner', wanted, 'api')
    expect(health).toMatchObject({ status: 'unhealthy', error: expect.stringContaining('NOT_SET_HERE') })
    expect(shown.headers).toEqual({ Authorization: 'Bearer ${NOT_SET_HERE}' })
    expect(opened).toEqual([])
  })
})

describe('afterwards, a source', () => {
  it('is there again for the next worker, with its secrets', async () => {
    const { sources, openAgain, opened } = await openMachineSources()
    await sources.add('owner', { name: 'one', config: config({ env: { KEY: 'secret-123456' } }) }, 'api')
    opened.length = 0
    const next = openAgain()
    await next.sources.begin()
    expect(opened).toMatchObject([{ name: 'one', config: { env: { KEY: 'secret-123456' } } }])
    expect(next.sources.health()).toMatchObject([{ name: 'one', status: 'healthy' }])
  })

  it('cannot be opened with the secrets of another row', async () => {
    const { sources, openAgain, pool } = await openMachineSources()
    for (const name of ['one', 'two'])
      await sources.add('owner', { name, config: config({ env: { KEY: `secret-of-${name}` } }) }, 'api')
    await pool.db.$client.query(
      `update sources set secrets = (select secrets from sources where name = 'one')`,
    )
    const next = openAgain()
    await next.sources.begin()
    expect(next.sources.health()).toMatchObject([
      { name: 'one', status: 'healthy' },
      { name: 'two', status: 'unhealthy', error: expect.stringContaining('secrets-key') },
    ])
  })

  it('is changed in what it is held to without being begun again, and is switched off', async () => {
    const { sources, registry, opened } = await openMachineSources()
    await sources.add('owner', { name: 'one', config: config() }, 'api')
    const before = registry.source('one')
    expect(await sources.edit('owner', 'one', { grants: ['agents'] })).toMatchObject({
      config: { grants: ['agents'] },
    })
    expect(registry.source('one')).toBe(before)
    expect(await sources.edit('owner', 'one', { enabled: false })).toMatchObject({
      health: { status: 'disabled' },
    })
    expect(opened).toHaveLength(1)
  })

  it('is not revived, nor given what was taken from it, by who begins it again meanwhile', async () => {
    const { sources, registry } = await openMachineSources()
    await sources.add('owner', { name: 'one', config: http() }, 'api')
    await Promise.all([sources.edit('owner', 'one', { grants: ['agents'] }), sources.retry('one')])
    expect(sources.rows()).toMatchObject([{ config: { grants: ['agents'] } }])
    const bob = { kind: 'person', id: 'bob', isOwner: false } as const
    expect(registry.sources(bob)).toEqual([])

    const [, again] = await Promise.allSettled([sources.remove('owner', 'one'), sources.retry('one')])
    expect(again).toMatchObject({ reason: { code: 'source_not_found' } })
    expect([sources.rows(), registry.source('one')]).toEqual([[], undefined])
  })

  it('is told to the board, where everybody reads, by a name only if it is for everybody', async () => {
    const { sources, pool } = await openMachineSources()
    await sources.add('owner', { name: 'open', config: http() }, 'api')
    await sources.add('owner', { name: 'shut', config: http({ grants: ['ada', 'agents'] }) }, 'api')
    await sources.remove('owner', 'shut')
    await expect
      .poll(async () => (await boardTypes(pool.db)).filter((type) => type === 'source.changed').length)
      .toBeGreaterThan(0)
    const { events } = await readEvents(pool.db, BOARD_STREAM, 0, 100)
    const told = events.map(({ type, payload }) => [type, (JSON.parse(payload) as { name: unknown }).name])
    expect(told).toEqual(
      expect.arrayContaining([
        ['mcpAdded', 'open'],
        ['mcpAdded', null],
        ['source.removed', null],
        ['source.changed', 'open'],
      ]),
    )
    expect(JSON.stringify(events)).not.toContain('shut')
  })

  it('is removed, and what is not there is not found', async () => {
    const { sources, registry, pool } = await openMachineSources()
    await sources.add('owner', { name: 'one', config: config() }, 'api')
    await sources.remove('owner', 'one')
    expect(registry.source('one')).toBeUndefined()
    expect(await listSources(pool.db)).toEqual([])
    expect(await boardTypes(pool.db)).toContain('source.removed')
    await expect(sources.remove('owner', 'one')).rejects.toMatchObject({ code: 'source_not_found' })
    await expect(sources.edit('owner', 'one', {})).rejects.toMatchObject({ code: 'source_not_found' })
  })
})

describe('mcp-config.json', () => {
  it('has all of them for others to read, without any secret, for its owner alone', async () => {
    const { sources, home } = await openMachineSources()
    const file = join(home, 'mcp-config.json')
    expect(existsSync(file)).toBe(false)
    await sources.add(
      'owner',
      { name: 'one', config: config({ args: ['-c', 'x'], env: { KEY: 'secret-123456' } }) },
      'api',
    )
    await sources.add('owner', { name: 'my-api', config: http({ auth: { token: 'secret-123456' } }) }, 'api')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      mcpServers: {
        one: { type: 'stdio', command: 'sh', args: ['-c', 'x'], env: { KEY: '${KEY}' } },
        'my-api': {
          type: 'http',
          url: 'https://example.com/mcp',
          auth: { type: 'bearer', token: '${MY_API_TOKEN}', scopes: [] },
        },
      },
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await sources.remove('owner', 'one')
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).mcpServers)).toEqual(['my-api'])
    chmodSync(file, 0o600)
  })
})
