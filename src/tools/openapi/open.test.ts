import { gzipSync } from 'node:zlib'
import pino from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import { CallFailed } from '../port.ts'
import type { Caller, ToolSource } from '../port.ts'
import type { Node } from './document.ts'
import { openOpenApiSource } from './open.ts'
import { startEchoApi } from '../../../test/support/echo-api.ts'
import type { EchoApi } from '../../../test/support/echo-api.ts'

const caller: Caller = { kind: 'person', id: 'owner', isOwner: true }
const text = { type: 'string' }
const log = pino({ level: 'silent' })

let api: EchoApi
let sources: ToolSource[] = []
beforeEach(async () => {
  api = await startEchoApi()
})
afterEach(async () => {
  await Promise.all(sources.map((source) => source.close()))
  sources = []
  await api.close()
})

const documentOf = (paths: Node, more: Node = {}) =>
  JSON.stringify({
    openapi: '3.0.3',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: api.origin }],
    paths,
    ...more,
  })

async function open(config: Partial<SourceConfig>): Promise<ToolSource> {
  const source = await openOpenApiSource({
    name: 'pets',
    config: SourceConfig.parse({ transport: 'openapi', ...config }),
    log,
  })
  sources.push(source)
  return source
}
const call = (source: ToolSource, tool: string, args: Node = {}, signal = new AbortController().signal) =>
  source.call(caller, tool, args, { signal })
/** Opens a source with one operation, calls it, and answers with what arrived. */
async function sent(
  operation: Node,
  args: Node,
  more: { path?: string; method?: string; document?: Node; config?: Partial<SourceConfig> } = {},
) {
  const { path = '/a', method = 'post' } = more
  const document = documentOf({ [path]: { [method]: { operationId: 'it', ...operation } } }, more.document)
  const source = await open({ document, ...more.config })
  await call(source, 'it', args)
  return api.arrived.at(-1)!
}
const failureOf = async (promise: Promise<unknown>): Promise<CallFailed> => {
  const error: unknown = await promise.catch((reason: unknown) => reason)
  if (!(error instanceof CallFailed)) throw new Error('it did not fail as it should', { cause: error })
  return error
}
const parameter = (name: string, place: string, more: Node = {}) => ({ name, in: place, schema: {}, ...more })
const bodyOf = (contentType: string, schema: Node, more: Node = {}) => ({
  requestBody: { required: true, content: { [contentType]: { schema, ...more } } },
})

it('sends each argument to its place', async () => {
  const operation = {
    parameters: [
      parameter('id', 'path', { required: true }),
      parameter('tags', 'query', { explode: false }),
      parameter('page', 'query', { style: 'deepObject' }),
      parameter('X-Trace', 'header'),
      parameter('theme', 'cookie'),
    ],
    ...bodyOf('application/json', { type: 'object', properties: { name: text, age: { type: 'integer' } } }),
  }
  const args = {
    id: 'a b/c',
    tags: ['x', 'y'],
    page: { size: 2 },
    'X-Trace': 't1',
    theme: 'dark',
    name: 'Rex',
    age: 3,
  }
  const arrived = await sent(operation, args, { path: '/pets/{id}' })
  expect(arrived).toMatchObject({
    method: 'POST',
    url: '/pets/a%20b%2Fc?tags=x,y&page%5Bsize%5D=2',
    headers: {
      'x-trace': 't1',
      cookie: 'theme=dark',
      'content-type': 'application/json',
      'user-agent': 'signalbox',
    },
    body: '{"name":"Rex","age":3}',
  })
})

it('leaves out what is not given', async () => {
  const operation = {
    parameters: [parameter('q', 'query'), parameter('h', 'header')],
    requestBody: { content: { 'application/json': { schema: { type: 'object', properties: { a: text } } } } },
  }
  const arrived = await sent(operation, {})
  expect([arrived.url, arrived.headers['h'], arrived.headers['content-type'], arrived.body]).toEqual([
    '/a',
    undefined,
    undefined,
    '',
  ])
})

const named = () => {
  const parameters = [parameter('id', 'path', { required: true })]
  return documentOf({ '/pets/{id}/name': { get: { operationId: 'it', parameters } } })
}

it.each([
  ['..', /leads elsewhere/],
  ['.', /leads elsewhere/],
  ['', /must not be empty/],
])('lets no value %j lead to another operation', async (id, why) => {
  const failure = await failureOf(call(await open({ document: named() }), 'it', { id }))
  expect([failure.reason, api.arrived]).toEqual(['bad_arguments', []])
  expect(failure.message).toMatch(why)
})

it('takes a value that only looks like dots for a value', async () => {
  await call(await open({ document: named() }), 'it', { id: '%2e%2e' })
  expect(api.arrived.map(({ url }) => url)).toEqual(['/pets/%252e%252e/name'])
})

it('lets no value of a header begin another one', async () => {
  const document = documentOf({
    '/a': { get: { operationId: 'it', parameters: [parameter('X-A', 'header')] } },
  })
  const failure = await failureOf(call(await open({ document }), 'it', { 'X-A': 'a\r\nx-admin: 1' }))
  expect([failure.reason, api.arrived]).toEqual(['bad_arguments', []])
})

it('sends forms', async () => {
  const schema = {
    type: 'object',
    properties: { name: text, tags: { type: 'array', items: text }, deep: { type: 'object' }, list: {} },
  }
  const encoding = { list: { style: 'pipeDelimited', explode: false } }
  const operation = bodyOf('application/x-www-form-urlencoded', schema, { encoding })
  const arrived = await sent(operation, { name: 'a&b', tags: ['x', 'y'], deep: { c: 1 }, list: [1, 2] })
  expect(arrived.headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(arrived.body).toBe('name=a%26b&tags=x&tags=y&deep=%7B%22c%22%3A1%7D&list=1%7C2')
})

it('sends files, which are base64 among the arguments', async () => {
  const file = { type: 'string', format: 'binary' }
  const schema = {
    type: 'object',
    properties: { photo: file, more: { type: 'array', items: file }, name: text, meta: { type: 'object' } },
  }
  const operation = bodyOf('multipart/form-data', schema, {
    encoding: { photo: { contentType: 'image/png' } },
  })
  const arrived = await sent(operation, {
    photo: 'iVBORw==',
    more: ['AAE=', 'AgM='],
    name: 'Rex',
    meta: { a: 1 },
  })
  const form = await new Response(Buffer.from(arrived.body, 'latin1'), {
    headers: { 'content-type': String(arrived.headers['content-type']) },
  }).formData()
  const photo = form.get('photo') as File
  expect([photo.type, photo.name, Buffer.from(await photo.arrayBuffer()).toString('hex')]).toEqual([
    'image/png',
    'photo',
    '89504e47',
  ])
  expect(form.getAll('more')).toHaveLength(2)
  expect([form.get('name'), await (form.get('meta') as File).text()]).toEqual(['Rex', '{"a":1}'])
  const failure = await failureOf(call(sources[0]!, 'it', { photo: 'no base64!' }))
  expect(failure).toMatchObject({
    reason: 'bad_arguments',
    message: 'photo: bytes have to be given as base64',
  })
})

it('sends texts and bytes as they are', async () => {
  expect(await sent(bodyOf('text/plain', text), { body: 'hello' })).toMatchObject({
    body: 'hello',
    headers: { 'content-type': 'text/plain' },
  })
  const bytes = bodyOf('application/octet-stream', { type: 'string', format: 'binary' })
  expect(await sent(bytes, { body: 'aGVsbG8=' })).toMatchObject({ body: 'hello' })
  const patch = bodyOf('application/merge-patch+json', { type: 'object', properties: { a: text } })
  expect(await sent(patch, { a: 'b' })).toMatchObject({
    body: '{"a":"b"}',
    headers: { 'content-type': 'application/merge-patch+json' },
  })
})

it('calls the server that the document names, or the one that the owner names', async () => {
  const servers = [
    { url: `${api.origin}/{version}/`, variables: { version: { default: 'v2' } } },
    { url: 'https://other.example' },
  ]
  expect(await sent({}, {}, { document: { servers } })).toMatchObject({ url: '/v2/a' })
  const config = { url: `${api.origin}/base/` }
  expect(
    await sent({}, {}, { document: { servers: [{ url: 'https://nobody.example' }] }, config }),
  ).toMatchObject({ url: '/base/a' })
  await expect(
    open({ document: documentOf({ '/a': { get: {} } }, { servers: [{ url: '/v1' }] }) }),
  ).rejects.toThrow(/give the address of the API as url/)
})

const schemes = {
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  oauth: { type: 'oauth2', flows: {} },
  tls: { type: 'mutualTLS' },
}
const security = (...ways: string[][]) => ({
  security: ways.map((names) => Object.fromEntries(names.map((name) => [name, []]))),
})
const securityDocument = { components: { securitySchemes: schemes } }
const withToken = (token: string) => ({ auth: { type: 'bearer' as const, token, scopes: [] } })

it.each<[string, string, Node]>([
  ['key', 't1', { headers: { 'x-key': 't1' } }],
  ['query', 't&1', { url: '/a?api_key=t%261' }],
  ['cookie', 't1', { headers: { cookie: 'sid=t1' } }],
  ['bearer', 't1', { headers: { authorization: 'Bearer t1' } }],
  ['oauth', 't1', { headers: { authorization: 'Bearer t1' } }],
  ['basic', 'me:secret', { headers: { authorization: `Basic ${btoa('me:secret')}` } }],
])('shows the token as %s', async (scheme, token, expected) => {
  expect(
    await sent(security([scheme]), {}, { document: securityDocument, config: withToken(token) }),
  ).toMatchObject(expected)
})

it('shows what it has, in the way that it has', async () => {
  const shown = async (operation: Node, config: Partial<SourceConfig>, document: Node = securityDocument) =>
    (await sent(operation, {}, { document, config })).headers
  expect(
    await shown(security(['bearer', 'key']), { ...withToken('t1'), headers: { 'X-Key': 'k1' } }),
  ).toMatchObject({ authorization: 'Bearer t1', 'x-key': 'k1' })
  expect(await shown(security(['tls'], ['key']), withToken('t1'))).toMatchObject({ 'x-key': 't1' })
  expect(await shown(security([], ['key']), withToken('t1'))).toMatchObject({ 'x-key': 't1' })
  expect(await shown(security(['bearer']), { headers: { Authorization: 'Custom x' } })).toMatchObject({
    authorization: 'Custom x',
  })
  expect(await shown({}, withToken('t1'), {})).toMatchObject({ authorization: 'Bearer t1' })
  expect(await shown(security(), withToken('t1'))).not.toHaveProperty('authorization')
  expect(await shown(security([], ['key']), {})).not.toHaveProperty('x-key')
})

it('says what is missing before anything is sent', async () => {
  const document = documentOf(
    { '/a': { get: { operationId: 'it', ...security(['key', 'bearer'], ['basic']) } } },
    securityDocument,
  )
  const source = await open({ document, ...withToken('t1') })
  expect(await call(source, 'it')).toBeDefined() // user and password by one token
  const bare = await open({ document })
  const failure = await failureOf(call(bare, 'it'))
  expect(failure.reason).toBe('source_unauthorized')
  expect(failure.message).toMatch(
    /GET \/a needs a key \(header X-Key\) and a bearer token, or a user and password/,
  )
  expect(bare.health()).toMatchObject({ status: 'unauthorized', error: failure.message })
  expect(api.arrived).toHaveLength(1)
})

it('lets no argument stand in the place of what the owner gave', async () => {
  const operation = {
    parameters: [parameter('X-Key', 'header'), parameter('x-tenant', 'header')],
    ...security(['key']),
  }
  const config = { ...withToken('t1'), headers: { 'X-Tenant': 'ours' } }
  const arrived = await sent(
    operation,
    { 'X-Key': 'forged', 'x-tenant': 'theirs' },
    { document: securityDocument, config },
  )
  expect(arrived.headers).toMatchObject({ 'x-key': 't1', 'x-tenant': 'ours' })
})

it('shows nothing to a server that is not the one of the document', async () => {
  const other = await startEchoApi()
  try {
    const operation = { operationId: 'it', servers: [{ url: other.origin }] }
    const config = { ...withToken('t1'), headers: { 'X-Tenant': 'ours' } }
    const document = documentOf(
      {
        '/free': { get: operation },
        '/closed': { get: { ...operation, operationId: 'closed', ...security(['key']) } },
      },
      securityDocument,
    )
    const source = await open({ document, ...config })
    await call(source, 'it')
    expect(other.arrived[0]!.headers).not.toHaveProperty('authorization')
    expect(other.arrived[0]!.headers).not.toHaveProperty('x-tenant')
    expect((await failureOf(call(source, 'closed'))).reason).toBe('source_unauthorized')
  } finally {
    await other.close()
  }
})

it('follows to the same host, and to no other', async () => {
  const other = await startEchoApi()
  try {
    api.on('/near', (_, response) => response.writeHead(302, { location: '/end?x=1' }).end())
    api.on('/far', (_, response) => response.writeHead(307, { location: `${other.origin}/end` }).end())
    api.on('/round', (_, response) => response.writeHead(301, { location: '/round' }).end())
    const paths = Object.fromEntries(
      ['near', 'far', 'round'].map((name) => [`/${name}`, { get: { operationId: name }, post: {} }]),
    )
    const source = await open({ document: documentOf(paths), ...withToken('t1') })
    expect(await call(source, 'near')).toMatchObject({
      structuredContent: { url: '/end?x=1', headers: { authorization: 'Bearer t1' } },
    })
    expect(await failureOf(call(source, 'far'))).toMatchObject({
      reason: 'source_failed',
      message: expect.stringContaining(`leads on to ${other.origin}: other hosts are not followed to`),
    })
    const before = api.arrived.length
    expect((await failureOf(call(source, 'round'))).message).toMatch(/5 times were followed/)
    expect(api.arrived).toHaveLength(before + 6)
    expect((await failureOf(call(source, 'post_near'))).message).toMatch(/followed for GET only/)
    expect(other.arrived).toEqual([])
  } finally {
    await other.close()
  }
})

it('answers in the form that fits', async () => {
  const answer = (path: string, type: string, bytes: Uint8Array | string) =>
    api.on(path, (_, response) => response.setHeader('content-type', type).end(bytes))
  answer('/list', 'application/json; charset=utf-8', '[1,2]')
  answer('/broken', 'application/json', '{oh')
  answer('/latin', 'text/plain; charset=iso-8859-1', Buffer.from('caf\u00e9', 'latin1'))
  answer('/png', 'image/png', Buffer.from('89504e47', 'hex'))
  answer('/pdf', 'application/pdf', '%PDF')
  api.on('/none', (_, response) => response.writeHead(204).end())
  const names = ['list', 'broken', 'latin', 'png', 'pdf', 'none']
  const source = await open({
    document: documentOf(
      Object.fromEntries(
        names.map((name) => [
          `/${name}`,
          { get: { operationId: name, parameters: [parameter('key', 'query')] } },
        ]),
      ),
    ),
  })
  expect(await call(source, 'list')).toEqual({
    content: [{ type: 'text', text: '[1,2]' }],
    structuredContent: [1, 2],
  })
  expect(await call(source, 'broken')).toEqual({ content: [{ type: 'text', text: '{oh' }] })
  expect(await call(source, 'latin')).toEqual({ content: [{ type: 'text', text: 'caf\u00e9' }] })
  expect(await call(source, 'png')).toEqual({
    content: [{ type: 'image', data: 'iVBORw==', mimeType: 'image/png' }],
  })
  expect(await call(source, 'pdf', { key: 'secret' })).toEqual({
    content: [
      {
        type: 'resource',
        resource: { uri: `${api.origin}/pdf`, mimeType: 'application/pdf', blob: btoa('%PDF') },
      },
    ],
  })
  expect(await call(source, 'none')).toEqual({ content: [{ type: 'text', text: 'HTTP 204 No Content' }] })
})

it('takes a refusal for an answer, and health tells of it until it is over', async () => {
  let status = 401
  api.on('/a', (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end('{"why":"because"}'),
  )
  const source = await open({ document: documentOf({ '/a': { get: { operationId: 'it' } } }) })
  const changes: string[] = []
  source.onChange(({ kind }) => changes.push(kind))
  expect(await call(source, 'it')).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'HTTP 401 Unauthorized\n{"why":"because"}' }],
  })
  expect(source.health()).toMatchObject({
    status: 'unauthorized',
    error: expect.stringMatching(/GET \/a was answered with 401.*check the token/),
  })
  status = 403
  await call(source, 'it')
  expect(source.health()).toMatchObject({ status: 'healthy', error: expect.stringMatching(/403 Forbidden/) })
  status = 404
  expect(await call(source, 'it')).toMatchObject({ isError: true })
  expect(source.health()).toMatchObject({
    status: 'healthy',
    error: null,
    tools: 1,
    server: 'Pets 1',
    protocol: 'openapi',
  })
  expect(changes).toEqual(['health', 'health', 'health'])
})

it('reads no answer that is too large, however small it was on the way', async () => {
  const bomb = gzipSync(Buffer.alloc(11 * 1_048_576))
  api.on('/a', (_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb),
  )
  const source = await open({ document: documentOf({ '/a': { get: { operationId: 'it' } } }) })
  expect(await failureOf(call(source, 'it'))).toMatchObject({
    reason: 'answer_too_large',
    message: expect.stringMatching(/larger than 10 MB/),
  })
})

it('lets go of a call that is given up, and tells when nobody is there', async () => {
  const arrived = Promise.withResolvers<void>()
  api.on('/a', () => arrived.resolve())
  const source = await open({ document: documentOf({ '/a': { get: { operationId: 'it' } } }) })
  const giving = new AbortController()
  const answer = failureOf(call(source, 'it', {}, giving.signal))
  await arrived.promise
  giving.abort()
  expect((await answer).reason).toBe('cancelled')
  await api.close()
  expect(await failureOf(call(source, 'it'))).toMatchObject({ reason: 'source_unavailable', isUnsent: true })
  expect(source.health()).toMatchObject({
    status: 'unhealthy',
    error: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/),
  })
  expect(await failureOf(call(source, 'other'))).toMatchObject({ reason: 'tool_not_found' })
  api = await startEchoApi()
})

it('tells what it had to leave out, and the rest works', async () => {
  const source = await open({
    document: documentOf({ bad: { get: {} }, '/good': { get: { operationId: 'good' } } }),
  })
  expect(source.health()).toMatchObject({
    status: 'healthy',
    tools: 1,
    error: expect.stringMatching(/Not all of the document can be used: GET bad: left out/),
  })
  expect(await call(source, 'good')).toMatchObject({ structuredContent: { url: '/good' } })
  await expect(open({ document: documentOf({ bad: { get: {} } }) })).rejects.toThrow(
    /None of its operations can be called. GET bad: left out/,
  )
  await expect(open({ document: documentOf({ '/a': {} }) })).rejects.toThrow(/no operations/)
  await expect(open({ document: documentOf({ '/a': {} }), url: 'file:///etc/passwd' })).rejects.toThrow(
    /no address of the web/,
  )
})

const until = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 20 })

it('reads a document at an address, and tries until it is there', async () => {
  let document: string | undefined
  api.on('/docs/api.json', (_, response) =>
    document === undefined ? response.writeHead(503).end() : response.end(document),
  )
  const source = await open({
    url: `${api.origin}/docs/api.json`,
    retryPolicy: { maxRetries: 3, initialDelay: 100, maxDelay: 200 },
  })
  expect([source.health().status, source.tools()]).toEqual(['connecting', []])
  expect(await failureOf(call(source, 'it'))).toMatchObject({ reason: 'source_unavailable', isUnsent: true })
  await until(() =>
    expect(source.health()).toMatchObject({
      status: 'unhealthy',
      error: expect.stringMatching(/answered 503/),
      nextRetryAt: expect.any(String),
    }),
  )
  const changes: string[] = []
  source.onChange(({ kind }) => changes.push(kind))
  document = documentOf({ '/a': { get: { operationId: 'it' } } }, { servers: [{ url: '../v1' }] })
  await until(() =>
    expect(source.health()).toMatchObject({ status: 'healthy', error: null, nextRetryAt: null, tools: 1 }),
  )
  expect(changes).toContain('tools')
  expect(await call(source, 'it')).toMatchObject({ structuredContent: { url: '/v1/a' } })
})

it.each([
  [
    'is none',
    (response: { end(text: string): void }) => response.end('<html>'),
    /neither a JSON nor a YAML object|neither JSON nor YAML/,
  ],
  [
    'is too large',
    (response: { end(text: string): void }) => response.end('x'.repeat(10_485_761)),
    /larger than 10 MB/,
  ],
])('tells when a document at an address %s', async (_, answer, why) => {
  api.on('/api.json', (_request, response) => answer(response))
  const source = await open({ url: `${api.origin}/api.json` })
  await until(() =>
    expect(source.health()).toMatchObject({ status: 'unhealthy', error: expect.stringMatching(why) }),
  )
})

it('follows no document to another host, and shows the token only where it is asked for', async () => {
  const other = await startEchoApi()
  try {
    api.on('/moved', (_, response) => response.writeHead(302, { location: `${other.origin}/api.json` }).end())
    const moved = await open({ url: `${api.origin}/moved`, ...withToken('t1') })
    await until(() => expect(moved.health().error).toMatch(/other hosts are not followed to/))
    expect([other.arrived, api.arrived[0]!.headers['authorization']]).toEqual([[], undefined])
    api.on('/closed', ({ headers }, response) =>
      headers.authorization === 'Bearer t1'
        ? response.end(documentOf({ '/a': { get: {} } }))
        : response.writeHead(401).end(),
    )
    const closed = await open({ url: `${api.origin}/closed`, ...withToken('t1') })
    await until(() => expect(closed.health().status).toBe('healthy'))
  } finally {
    await other.close()
  }
})

it('shows nothing to the server that a document names later, and tells', async () => {
  const other = await startEchoApi()
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    let server = api.origin
    const paths = {
      '/a': { get: { operationId: 'free' } },
      '/b': { get: { operationId: 'closed', ...security(['key']) } },
    }
    api.on('/api.json', (_, response) =>
      response.end(documentOf(paths, { ...securityDocument, servers: [{ url: server }] })),
    )
    const kept: string[] = []
    const opened = async () => {
      const source = await openOpenApiSource({
        name: 'pets',
        config: SourceConfig.parse({
          transport: 'openapi',
          url: `${api.origin}/api.json`,
          ...withToken('t1'),
        }),
        log,
        keepHome: async (_, origin) => (kept.push(origin), kept[0]!),
      })
      sources.push(source)
      await until(() => expect(source.tools()).toHaveLength(2))
      return source
    }
    const before = await opened()
    expect(before.health().error).toBeNull()
    server = other.origin
    vi.setSystemTime(Date.now() + 11 * 60_000)
    before.tools()
    await until(() =>
      expect(before.health().error).toContain(`what opens the API is for ${api.origin} alone`),
    )
    // Also after a restart.
    for (const source of [before, await opened()]) {
      await call(source, 'free')
      expect(await failureOf(call(source, 'closed'))).toMatchObject({
        reason: 'source_unauthorized',
        message: expect.stringContaining(`is for ${api.origin} alone`),
      })
    }
    expect(other.arrived.map(({ headers }) => headers['authorization'])).toEqual([undefined, undefined])
    expect(kept).toEqual([api.origin, other.origin])
  } finally {
    vi.useRealTimers()
    await other.close()
  }
})

it('reads a document again when somebody needs it and it is old', async () => {
  let [name, etag] = ['first', '"1"']
  api.on('/api.json', ({ headers }, response) =>
    headers['if-none-match'] === etag
      ? response.writeHead(304).end()
      : response.setHeader('etag', etag).end(documentOf({ '/a': { get: { operationId: name } } })),
  )
  const source = await open({ url: `${api.origin}/api.json` })
  await until(() => expect(source.tools().map((tool) => tool.name)).toEqual(['first']))
  const offered = source.tools()
  expect(api.arrived).toHaveLength(1)
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    vi.setSystemTime(Date.now() + 11 * 60_000)
    source.tools()
    await until(() => expect(api.arrived).toHaveLength(2))
    expect(source.tools()).toBe(offered)
    ;[name, etag] = ['second', '"2"']
    vi.setSystemTime(Date.now() + 11 * 60_000)
    await until(() => expect(source.tools().map((tool) => tool.name)).toEqual(['second']))
  } finally {
    vi.useRealTimers()
  }
})
