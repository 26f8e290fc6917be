import { describe, expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { Capabilities } from '#contract/execute.ts'
import { grantsFor } from './code-capabilities.ts'
import type { CapabilityLimits, CodeGrants } from './code-capabilities.ts'
import { Problem } from './problem.ts'

const byDefault: CapabilityLimits = {
  network: {
    allowedHosts: [],
    allowedPorts: [],
    maxRequestsPerSecond: 10,
    maxRequestSize: 1_048_576,
    timeout: 5_000,
  },
  filesystem: { allowedPaths: [], readOnly: true, maxFileSize: 1_048_576, allowedExtensions: [] },
  mcp: { allowedServers: [], allowedTools: [], maxCallsPerSecond: 5, maxConcurrentCalls: 3, timeout: 10_000 },
  system: { time: false },
}
type Sections = { [Section in keyof CapabilityLimits]?: Partial<CapabilityLimits[Section]> }
const limitsWith = (more: Sections): CapabilityLimits => ({
  network: { ...byDefault.network, ...more.network },
  filesystem: { ...byDefault.filesystem, ...more.filesystem },
  mcp: { ...byDefault.mcp, ...more.mcp },
  system: { ...byDefault.system, ...more.system },
})

interface Asking {
  by?: Principal['kind']
  hasSession?: boolean
  more?: Sections
}
const principal = (kind: Principal['kind'], scopes: Principal['scopes'] = ['tools', 'code']) => ({
  kind,
  scopes,
})
const ask = (asked: unknown, { by = 'owner', hasSession = true, more = {} }: Asking = {}) =>
  grantsFor({ asked: Capabilities.parse(asked), by: principal(by), hasSession, limits: limitsWith(more) })

function granted(asked: unknown, asking: Asking = {}): CodeGrants {
  const answer = ask(asked, asking)
  if (!answer.isGranted) throw new Error(answer.message)
  return answer.grants
}
function refused(asked: unknown, asking: Asking = {}) {
  const answer = ask(asked, asking)
  if (answer.isGranted) throw new Error('It was granted')
  return answer
}
const capabilitiesRefused = (asked: unknown, asking: Asking = {}) =>
  refused(asked, asking).details.excess.map(({ capability }) => capability)

test('what is not asked for is denied, and the limits are those of the configuration', () => {
  const { isGranted, ...rest } = grantsFor({
    asked: undefined,
    by: principal('owner'),
    hasSession: true,
    limits: byDefault,
  })
  expect(isGranted).toBe(true)
  expect(rest).toEqual({
    grants: {
      network: { hosts: [], ports: [], perSecond: 10, maxBytes: 1_048_576, timeoutMs: 5_000 },
      files: { paths: [], maxBytes: 1_048_576, extensions: [] },
      mcp: { tools: [], perSecond: 5, atOnce: 3, timeoutMs: 10_000 },
      system: { time: false, random: false },
    },
  })
  expect(granted([])).toEqual(granted({}))
  expect(granted({ network: {}, filesystem: {}, mcp: {}, system: {} })).toEqual(granted([]))
})

test('both forms say the same', () => {
  const words = granted([
    'mcp:github',
    'network:API.Example.com.',
    'network:*.example.org',
    'fs:./src/',
    'system:time',
    'system:random',
  ])
  const set = granted({
    mcp: { allowedServers: ['github'] },
    network: { allowedHosts: ['api.example.com', '*.EXAMPLE.org'] },
    filesystem: { allowedPaths: ['src'] },
    system: { time: true, random: true },
  })
  expect(words).toEqual(set)
  expect(words).toMatchObject({
    mcp: { tools: ['github.*'] },
    network: { hosts: ['api.example.com', '*.example.org'] },
    files: { paths: [{ path: 'src', isReadOnly: true }] },
    system: { time: true, random: true },
  })
  expect(JSON.parse(JSON.stringify(words))).toEqual(words)
})

test.each([
  ['mcp:*', { mcp: { tools: ['*'] } }],
  ['mcp:linear.get_issue', { mcp: { tools: ['linear.get_issue'] } }],
  ['mcp:linear.get_*', { mcp: { tools: ['linear.get_*'] } }],
  ['network:example.com:8443', { network: { hosts: ['example.com:8443'] } }],
  ['network:bücher.example', { network: { hosts: ['xn--bcher-kva.example'] } }],
  ['network:0x7f.1:80', { network: { hosts: ['127.0.0.1:80'] } }],
  ['network:[::1]:8080', { network: { hosts: ['[::1]:8080'] } }],
  ['network:::1', { network: { hosts: ['[::1]'] } }],
  ['fs:.', { files: { paths: [{ path: '.', isReadOnly: true }] } }],
  ['fs:/workspace/out:rw', { files: { paths: [{ path: 'out', isReadOnly: false }] } }],
  ['filesystem:a/../b:ro', { files: { paths: [{ path: 'b', isReadOnly: true }] } }],
])('%s is understood', (word, grants) => {
  expect(granted([word])).toMatchObject(grants)
})

test.each([
  ['github', 'mcp:SERVER'],
  ['mcp', 'mcp:SERVER'],
  ['mcp:', 'is no server'],
  ['mcp:a b', 'is no server'],
  ['mcp:.x', 'is no tool'],
  ['shell:rm', 'network:HOST'],
  ['network:https://api.example.com/v1', 'only its host is named, "api.example.com"'],
  ['network:a b', 'is no host'],
  ['network:a*.example.com', 'is no host'],
  ['network:*.1.2.3.4', 'is no host'],
  ['network:example.com:0', 'is no host'],
  ['network:example.com:65536', 'is no host'],
  ['network:user@example.com', 'is no host'],
  ['fs:../x', 'is no path in the workspace'],
  ['fs:a/../../x', 'is no path in the workspace'],
  ['fs:/etc', 'is no path in the workspace'],
  ['fs:/workspace/../etc', 'is no path in the workspace'],
  ['fs:', 'is no path in the workspace'],
  ['system:clock', 'system:time or system:random'],
])('%s is told to be none, and what would be right', (word, says) => {
  const problem = (() => {
    try {
      return ask(['system:time', word])
    } catch (error) {
      return error
    }
  })()
  expect(problem).toBeInstanceOf(Problem)
  expect(problem).toMatchObject({
    code: 'does_not_fit',
    message: expect.stringContaining(says),
    context: { in: 'body', fields: [{ field: 'capabilities.1' }] },
  })
})

test('in full, what is none is named by its place too', () => {
  for (const [asked, field] of [
    [{ network: { allowedHosts: ['ok.example', 'no host'] } }, 'capabilities.network.allowedHosts.1'],
    [{ filesystem: { allowedPaths: ['..'] } }, 'capabilities.filesystem.allowedPaths.0'],
    [{ mcp: { allowedServers: ['a.b'] } }, 'capabilities.mcp.allowedServers.0'],
    [{ mcp: { allowedTools: ['search'] } }, 'capabilities.mcp.allowedTools.0'],
  ] as const)
    expect(() => ask(asked)).toThrow(
      expect.objectContaining({ context: { in: 'body', fields: [expect.objectContaining({ field })] } }),
    )
})

describe('tools', () => {
  test('are those of the servers that are named, and of these only the ones that are named, where any is', () => {
    const mcp = (allowedServers: string[], allowedTools: string[]) =>
      granted({ mcp: { allowedServers, allowedTools } }).mcp.tools
    expect(mcp(['a', 'b'], [])).toEqual(['a.*', 'b.*'])
    expect(mcp(['a', 'b'], ['b.get', 'c.get'])).toEqual(['b.get'])
    expect(mcp([], ['b.get'])).toEqual(['b.get'])
    expect(mcp(['*'], ['b.get'])).toEqual(['b.get'])
  })

  test('an empty list in the configuration narrows nothing, any other does, but not for the owner', () => {
    const more = { mcp: { allowedServers: ['github', 'linear'], allowedTools: ['linear.get_*', 'github.*'] } }
    for (const by of ['user', 'agent'] as const) {
      expect(granted(['mcp:github'], { by }).mcp.tools).toEqual(['github.*'])
      expect(granted(['mcp:github', 'mcp:linear.get_issue'], { by, more }).mcp.tools).toEqual([
        'github.*',
        'linear.get_issue',
      ])
      expect(capabilitiesRefused(['mcp:linear', 'mcp:linear.set', 'mcp:slack'], { by, more })).toEqual([
        'mcp:linear',
        'mcp:linear.set',
        'mcp:slack',
      ])
      // All that one has, whatever that is.
      expect(granted(['mcp:*'], { by, more }).mcp.tools).toEqual(['linear.get_*', 'github.*'])
    }
    expect(granted(['mcp:slack'], { more }).mcp.tools).toEqual(['slack.*'])
  })

  test('what is no name in the configuration allows nothing', () => {
    const more = { mcp: { allowedServers: ['a b'] } }
    expect(capabilitiesRefused(['mcp:github'], { by: 'user', more })).toEqual(['mcp:github'])
    const tools = { mcp: { allowedTools: ['search'] } }
    expect(capabilitiesRefused(['mcp:github.search'], { by: 'user', more: tools })).toEqual([
      'mcp:github.search',
    ])
  })

  test('are there without asking where they are by default', () => {
    const limits = limitsWith({ mcp: { allowedServers: ['github'] } })
    const answer = grantsFor({
      asked: undefined,
      by: principal('agent'),
      hasSession: true,
      limits,
      byDefault: 'mcp',
    })
    expect(answer).toMatchObject({
      isGranted: true,
      grants: { mcp: { tools: ['github.*'] }, network: { hosts: [] }, files: { paths: [] } },
    })
    const asked = grantsFor({ asked: [], by: principal('agent'), hasSession: true, limits, byDefault: 'mcp' })
    expect(asked).toMatchObject({ isGranted: true, grants: { mcp: { tools: [] } } })
  })
})

describe('hosts', () => {
  const more = {
    network: {
      allowedHosts: ['api.example.com', '*.example.org', 'db.internal', '10.0.0.5:5432'],
      allowedPorts: [443, 8443],
    },
  }

  test('the owner may name any, others none that the configuration does not', () => {
    expect(granted(['network:*', 'network:127.0.0.1']).network.hosts).toEqual(['*', '127.0.0.1'])
    for (const by of ['user', 'agent'] as const) {
      expect(capabilitiesRefused(['network:api.example.com'], { by })).toEqual(['network:api.example.com'])
      const within = [
        'network:api.example.com',
        'network:a.b.example.org',
        'network:*.a.example.org',
        'network:db.internal',
        'network:10.0.0.5:5432',
        'network:*.example.org',
      ]
      expect(granted(within, { by, more }).network.hosts).toHaveLength(within.length)
      const beyond = [
        'network:example.org',
        'network:*',
        'network:*.org',
        'network:badexample.org',
        'network:*.api.example.com',
        'network:10.0.0.5',
        'network:10.0.0.5:80',
        'network:127.0.0.1',
      ]
      expect(capabilitiesRefused(beyond, { by, more })).toEqual(beyond)
    }
  })

  test('what cannot be public is covered by no star', () => {
    const stars = { network: { allowedHosts: ['*', '*.internal'] } }
    const beyond = [
      'network:localhost',
      'network:a.internal',
      'network:10.0.0.1',
      'network:[::1]',
      'network:intranet',
      'network:printer.local',
    ]
    expect(capabilitiesRefused(beyond, { by: 'user', more: stars })).toEqual(beyond)
    expect(granted(['network:example.com'], { by: 'user', more: stars }).network.hosts).toEqual([
      'example.com',
    ])
  })

  test('ports are those of the configuration at most, unless it names another one with the host', () => {
    const user = { by: 'user', more } as const
    expect(granted(['network:api.example.com'], user).network.ports).toEqual([443, 8443])
    expect(
      granted({ network: { allowedHosts: ['api.example.com'], allowedPorts: [443] } }, user).network.ports,
    ).toEqual([443])
    expect(
      capabilitiesRefused({ network: { allowedHosts: ['api.example.com'], allowedPorts: [22] } }, user),
    ).toEqual(['the port 22'])
    expect(capabilitiesRefused(['network:api.example.com:22'], user)).toEqual(['network:api.example.com:22'])
    expect(granted(['network:api.example.com:8443'], user).network.hosts).toEqual(['api.example.com:8443'])
    expect(
      granted({ network: { allowedHosts: ['x.example'], allowedPorts: [22] } }, { more }).network.ports,
    ).toEqual([22])
  })

  test('a refusal says what was asked, what is allowed, and by which setting', () => {
    expect(refused(['network:evil.example'], { by: 'agent', more })).toEqual({
      isGranted: false,
      message:
        'This code asks for more than it can be given: network:evil.example, where api.example.com, *.example.org, db.internal, 10.0.0.5:5432 is allowed (security.capabilities.network.allowedHosts). Ask for less, or let the owner allow it in the configuration.',
      details: {
        excess: [
          {
            capability: 'network:evil.example',
            allowed: 'api.example.com, *.example.org, db.internal, 10.0.0.5:5432',
            setting: 'security.capabilities.network.allowedHosts',
          },
        ],
      },
    })
  })
})

describe('files', () => {
  test('of a workspace are everybody’s whose session it is, to write too', () => {
    for (const by of ['owner', 'user', 'agent'] as const)
      expect(granted(['fs:a', 'fs:b:rw'], { by }).files.paths).toEqual([
        { path: 'a', isReadOnly: true },
        { path: 'b', isReadOnly: false },
      ])
    expect(granted({ filesystem: { allowedPaths: ['a'], readOnly: false } }).files.paths).toEqual([
      { path: 'a', isReadOnly: false },
    ])
  })

  test('of the machine are those that the configuration names, for the owner too', () => {
    const filesystem = { allowedPaths: ['/data', '/srv/in'] }
    for (const by of ['owner', 'user', 'agent'] as const) {
      const at = { by, hasSession: false, more: { filesystem } }
      expect(granted(['fs:/data/a/../b', 'fs:/srv/in'], at).files.paths).toEqual([
        { path: '/data/b', isReadOnly: true },
        { path: '/srv/in', isReadOnly: true },
      ])
      const beyond = ['fs:/', 'fs:/etc', 'fs:/data2', 'fs:/data/../etc', 'fs:/data:rw']
      expect(capabilitiesRefused(beyond, at)).toEqual([
        'fs:/',
        'fs:/etc',
        'fs:/data2',
        'fs:/etc',
        'fs:/data:rw',
      ])
      expect(capabilitiesRefused(['fs:/data'], { by, hasSession: false })).toEqual(['fs:/data'])
      const writable = { ...at, more: { filesystem: { ...filesystem, readOnly: false } } }
      expect(granted(['fs:/data:rw'], writable).files.paths).toEqual([{ path: '/data', isReadOnly: false }])
      expect(() => ask(['fs:data'], at)).toThrow('begins with /')
    }
  })

  test('have the endings that are asked for, among those of the configuration', () => {
    const more = { filesystem: { allowedExtensions: ['.json', 'MD'] } }
    const set = (allowedExtensions: string[]) => ({ filesystem: { allowedPaths: ['.'], allowedExtensions } })
    expect(granted(['fs:.'], { by: 'user', more }).files.extensions).toEqual(['.json', '.md'])
    expect(granted(set(['JSON']), { by: 'user', more }).files.extensions).toEqual(['.json'])
    expect(capabilitiesRefused(set(['.env']), { by: 'user', more })).toEqual(['files that end with .env'])
    expect(granted(set(['.env']), { more }).files.extensions).toEqual(['.env'])
  })
})

describe('limits', () => {
  const asked = (number: number) => ({
    network: { maxRequestsPerSecond: number, maxRequestSize: number, timeout: number },
    filesystem: { maxFileSize: number },
    mcp: { maxCallsPerSecond: number, maxConcurrentCalls: number, timeout: number },
  })
  const names = [
    'network.maxRequestsPerSecond',
    'network.maxRequestSize',
    'network.timeout',
    'filesystem.maxFileSize',
    'mcp.maxCallsPerSecond',
    'mcp.maxConcurrentCalls',
    'mcp.timeout',
  ]

  test('are lowered by everybody, and raised by the owner alone, up to what is the most for all', () => {
    for (const by of ['owner', 'user', 'agent'] as const)
      expect(granted(asked(1), { by })).toMatchObject({
        network: { perSecond: 1, maxBytes: 1, timeoutMs: 1 },
        files: { maxBytes: 1 },
        mcp: { perSecond: 1, atOnce: 1, timeoutMs: 1 },
      })
    const { mcp, network, filesystem } = asked(100)
    const raised = {
      mcp,
      network: { ...network, timeout: 60_000 },
      filesystem: { ...filesystem, maxFileSize: '2MB' },
    }
    expect(granted(raised)).toMatchObject({
      mcp: { perSecond: 100, atOnce: 100 },
      network: { timeoutMs: 60_000 },
      files: { maxBytes: 2_097_152 },
    })
    expect(capabilitiesRefused(raised, { by: 'user' })).toEqual([
      'network.maxRequestsPerSecond 100',
      'network.timeout 60000',
      'filesystem.maxFileSize 2097152',
      'mcp.maxCallsPerSecond 100',
      'mcp.maxConcurrentCalls 100',
    ])
    const huge = {
      mcp: { maxCallsPerSecond: 5_000, maxConcurrentCalls: 999, timeout: 1e9 },
      network: { maxRequestsPerSecond: 5_000, maxRequestSize: '1GB', timeout: 1e9 },
      filesystem: { maxFileSize: '1GB' },
    }
    expect(refused(huge).details.excess.map(({ setting }) => setting)).toEqual(
      names.map((name) => `security.capabilities.${name}`),
    )
  })

  test('of the configuration count, even above what is the most otherwise', () => {
    const more = { mcp: { maxConcurrentCalls: 500 } }
    expect(granted([], { by: 'user', more }).mcp.atOnce).toBe(500)
    expect(granted({ mcp: { maxConcurrentCalls: 500 } }, { more }).mcp.atOnce).toBe(500)
  })
})

test('the clock is the owner’s to ask for, and everybody’s where the configuration says so; chance is everybody’s', () => {
  expect(granted(['system:time']).system.time).toBe(true)
  expect(capabilitiesRefused(['system:time'], { by: 'user' })).toEqual(['system:time'])
  expect(granted(['system:time'], { by: 'agent', more: { system: { time: true } } }).system.time).toBe(true)
  expect(granted(['system:random'], { by: 'agent' }).system).toEqual({ time: false, random: true })
})

test('a person without the scope tools gets no tool, and is told so; an agent has its grants', () => {
  const asking = (by: Pick<Principal, 'kind' | 'scopes'>, asked: string[]) =>
    grantsFor({ asked, by, hasSession: true, limits: byDefault })
  for (const word of ['mcp:*', 'mcp:github', 'mcp:github.search'])
    expect(asking(principal('user', ['board', 'code']), ['system:random', word])).toMatchObject({
      isGranted: false,
      message: expect.stringContaining('needs the scope tools'),
      details: { missing: ['tools'], excess: [{ capability: word }] },
    })
  expect(asking(principal('user', ['code']), ['fs:src', 'system:random'])).toMatchObject({ isGranted: true })
  expect(asking(principal('user'), ['mcp:*'])).toMatchObject({ isGranted: true })
  for (const kind of ['owner', 'agent'] as const)
    expect(asking(principal(kind, []), ['mcp:*'])).toMatchObject({ isGranted: true })
})
