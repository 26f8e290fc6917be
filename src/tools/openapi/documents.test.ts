import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import type { Caller } from '../port.ts'
import { openRegistry } from '../registry.ts'
import type { Node } from './document.ts'
import { openOpenApiSource } from './open.ts'
import { startEchoApi } from '../../../test/support/echo-api.ts'

// Whole documents, called through the registry as everybody calls them.

const ada: Caller = { kind: 'person', id: 'ada', isOwner: true }

async function open(file: string, given: Partial<SourceConfig> = {}) {
  const api = await startEchoApi()
  const document = readFileSync(join(import.meta.dirname, 'fixtures', file), 'utf8')
  const config = SourceConfig.parse({ transport: 'openapi', document, url: `${api.origin}/v3`, ...given })
  const source = await openOpenApiSource({ name: 'api', config, log: pino({ enabled: false }) })
  const registry = openRegistry({
    pins: { of: async () => new Map(), put: async () => undefined },
    approve: async () => undefined,
    note: async () => undefined,
  })
  registry.put(source, config)
  onTestFinished(async () => {
    await registry.close()
    await api.close()
  })
  const call = (name: string, args: Node) =>
    registry.call(ada, name, args, { signal: new AbortController().signal })
  return { api, registry, call, health: () => source.health() }
}

it('calls a shop for pets', async () => {
  const { api, registry, call, health } = await open('pets.yaml', { headers: { 'X-Shop-Key': 'k1' } })
  expect(health()).toMatchObject({ status: 'healthy', error: null, tools: 5, server: 'Pet shop 1.4.0' })
  expect(registry.list(ada).map(({ name }) => name)).toEqual([
    'api.listPets',
    'api.addPet',
    'api.getPet',
    'api.deletePet',
    'api.uploadPhoto',
  ])
  const pet = {
    id: 1,
    name: 'Rex',
    category: { name: 'dog', parent: { name: 'animal' } },
    nickname: null,
    isNew: true,
  }
  api.on('/v3/pets', ({ method }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(method === 'POST' ? pet : { items: [pet], next: null }))
  })
  expect(await call('api.listPets', { limit: 5, status: ['available', 'sold'] })).toMatchObject({
    structuredContent: { items: [pet] },
  })
  expect(api.arrived.at(-1)).toMatchObject({
    url: '/v3/pets?limit=5&status=available,sold',
    headers: { 'x-shop-key': 'k1' },
  })
  const { id: _, isNew: __, ...wanted } = pet
  expect(await call('api__addPet', wanted)).toMatchObject({ structuredContent: pet })
  expect(JSON.parse(api.arrived.at(-1)!.body)).toEqual(wanted)

  const sofar = api.arrived.length
  for (const [name, args, why] of [
    ['api.listPets', { limit: 0 }, /limit/],
    ['api.listPets', { status: ['stolen'] }, /status/],
    ['api.addPet', { name: 'Rex', id: 5 }, /id is not known/],
    ['api.addPet', { name: 'Rex', category: { parent: { parent: { name: 5 } } } }, /parent\.name/],
    ['api.getPet', {}, /petId is needed/],
  ] as const) {
    await expect(call(name, args)).rejects.toMatchObject({
      reason: 'bad_arguments',
      message: expect.stringMatching(why),
    })
  }
  expect(api.arrived).toHaveLength(sofar)
})

it('calls a host of repositories', async () => {
  const { api, registry, call, health } = await open('code-host.yaml')
  expect(health()).toMatchObject({ status: 'healthy', error: null, tools: 3 })
  const update = registry.find(ada, 'api.issues_update')!
  expect(update).toMatchObject({
    wireName: 'api__issues_update',
    version: '2026-01-01',
    tags: ['issues'],
    inputSchema: { required: ['owner', 'repo', 'number'] },
  })
  expect(Object.keys(update.outputSchema!['$defs'] as Node)).toEqual(['issue', 'label', 'user'])
  api.on('/v3/repos/a/b/issues/7', (_, response) =>
    response
      .setHeader('content-type', 'application/json')
      .end('{"number":7,"user":{"login":"ada"},"parent":null}'),
  )
  await call('api.issues_update', {
    owner: 'a',
    repo: 'b',
    number: 7,
    labels: ['x', { name: 'y' }],
    milestone: null,
  })
  expect(api.arrived.at(-1)).toMatchObject({
    method: 'PATCH',
    body: '{"labels":["x",{"name":"y"}],"milestone":null}',
  })
  await call('api.repos_get-content', { owner: 'a', repo: 'b', path: 'src/../main.ts' })
  expect(api.arrived.at(-1)!.url).toBe('/v3/repos/a/b/contents/src%2F..%2Fmain.ts')
  await call('api.search_code', { body: { all: [{ word: 'x' }, { all: [] }] } })
  expect(api.arrived.at(-1)!.body).toBe('{"all":[{"word":"x"},{"all":[]}]}')
  await expect(call('api.search_code', { body: { all: [{ word: '' }] } })).rejects.toMatchObject({
    reason: 'bad_arguments',
  })
})
