import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { redactText } from '#lib/redact.ts'
import { variables } from './environment.ts'

let cwd = ''
beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), 'signalbox-config-'))))
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const load = (env: NodeJS.ProcessEnv = {}, yaml?: string) => {
  if (yaml !== undefined) writeFileSync(join(cwd, 'signalbox.config.yaml'), yaml)
  return loadConfig({ env: { HOME: '/home/ada', PATH: '/usr/bin:/bin', ...env }, cwd })
}

/** The lines of the refusal, without its title. */
function mistakes(env: NodeJS.ProcessEnv, yaml?: string): string[] {
  try {
    load(env, yaml)
  } catch (error) {
    if (error instanceof ConfigError)
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.trim())
    throw error
  }
  return []
}

const seed = `
server:
  port: 3000
  host: "0.0.0.0"
  cors:
    enabled: true
    origins: ["http://localhost:3000"]

sandbox:
  runtime: "quickjs"
  workers:
    min: 2
    max: 10
    idleTimeout: "30s"
  limits:
    memory: "128MB"
    timeout: "30s"
    cpuQuota: 0.5

security:
  auth:
    provider: "oauth2"
    issuer: "https://auth.company.com"
    audience: "codemode-api"

  capabilities:
    network:
      maxRequestsPerSecond: 10
      allowedHosts: ["api.helpscout.net"]

    mcp:
      maxCallsPerSecond: 5
      allowedServers: ["helpscout", "filesystem"]

mcp:
  servers:
    helpscout:
      transport: "stdio"
      command: "npx"
      args: ["help-scout-mcp-server"]
      environment:
        HELPSCOUT_CLIENT_ID: "\${HELPSCOUT_CLIENT_ID}"
        HELPSCOUT_CLIENT_SECRET: "\${HELPSCOUT_CLIENT_SECRET}"

    filesystem:
      transport: "stdio"
      command: "node"
      args: ["./servers/filesystem.js"]

logging:
  level: "info"
  format: "json"
  outputs:
    - type: "console"
    - type: "file"
      path: "./logs/codemode.log"
      rotation: "daily"
`

describe('with nothing set', () => {
  it('has the defaults of the contract', () => {
    expect(load()).toMatchObject({
      home: '/home/ada/.signalbox',
      host: '127.0.0.1',
      port: 4100,
      terminalPort: 4101,
      trustProxy: false,
      allowedWorkingDirs: [cwd],
      allowedBinaryDirs: ['/usr/bin', '/bin'],
      worker: {
        maxConcurrent: 3,
        heartbeatIntervalMs: 5000,
        staleAfterMs: 30_000,
        approvalExpiresMs: 86_400_000,
        agentIdleMs: 900_000,
        stallAfterMs: 120_000,
        minFreeDiskBytes: 5 * 1024 ** 3,
        workspaceImage: 'node:24-bookworm-slim',
      },
      terminal: { idleMs: 1_800_000, maxViewers: 64, maxPerWindow: 16 },
      log: { dir: '/home/ada/.signalbox/logs', level: 'info', retentionDays: 30, format: 'auto' },
      chat: {
        maxOutputTokens: 8192,
        maxHistoryTokens: 30_000,
        maxHistoryMessages: 50,
        compression: false,
        summaries: false,
      },
      sessionTtlMs: 86_400_000,
      bridge: { command: 'claude-agent-acp', args: [], cwd, port: 3002, permissions: 'ask' },
    })
    expect(load().databaseUrl).toBeUndefined()
    expect(load().sources.size).toBe(0)
  })
})

describe('the environment', () => {
  it('sets every value that it has a variable for', () => {
    const examples: Record<string, string> = {
      PUBLIC_URL: 'https://box.example.com',
      DATABASE_URL: 'postgres://ada:pw@db/box',
      WORKER_URL: 'http://10.0.0.5:4102',
      WORKER_LISTEN: '10.0.0.5:4102',
      TERMINAL_URL: 'wss://box.example.com/terminal',
      TERMINAL_MAX_VIEWERS: '8',
      TERMINAL_MAX_PER_WINDOW: '4',
      OIDC_ISSUER: 'https://auth.example.com',
      LLM_PROVIDER: 'openai',
      LOG_LEVEL: 'debug',
      AGENT_PERMISSIONS: 'deny',
      TRUST_PROXY: 'true',
      ENABLE_CONVERSATION_COMPRESSION: 'true',
      ENABLE_CONVERSATION_SUMMARIES: 'true',
      JWT_SECRET: 'x'.repeat(32),
      STALE_AFTER_MS: '60000',
      LOST_AFTER_MS: '120000',
      WORKER_MAX_CONCURRENT: '7',
      MIN_FREE_DISK: '1GB',
      SESSION_TTL: '1h',
      AGENT_TIMEOUT: '2h',
    }
    const given = variables.map(({ name }, index) => {
      const plain = /PORT|MAX|DAYS|_MS$/.test(name) ? String(1000 + index) : `/value/${index}`
      return [name, examples[name] ?? (name.endsWith('BASE_URL') ? 'https://models.example.com' : plain)]
    })
    const config = load(Object.fromEntries(given))
    expect([...config.sources.keys()].toSorted()).toEqual(variables.map(({ path }) => path).toSorted())
    expect(new Set(config.sources.values())).toEqual(new Set(['environment']))
    expect(config).toMatchObject({
      worker: { maxConcurrent: 7 },
      sessionTtlMs: 3_600_000,
      publicUrl: 'https://box.example.com',
    })
  })

  it('reads units, lists, flags and provider aliases', () => {
    const config = load({
      SESSION_TTL: '90m',
      MIN_FREE_DISK: '512MB',
      ALLOWED_WORKING_DIRS: `/srv/a:relative:~/b`,
      TRUST_PROXY: 'yes',
      LLM_PROVIDER: 'Claude',
      AGENT_ARGS: '--one  two',
      HEARTBEAT_INTERVAL_MS: '2s',
    })
    expect(config.sessionTtlMs).toBe(5_400_000)
    expect(config.worker).toMatchObject({ minFreeDiskBytes: 512 * 1024 ** 2, heartbeatIntervalMs: 2000 })
    expect(config.allowedWorkingDirs).toEqual(['/srv/a', join(cwd, 'relative'), '/home/ada/b'])
    expect(config).toMatchObject({
      trustProxy: true,
      models: { provider: 'anthropic' },
      bridge: { args: ['--one', 'two'] },
    })
    expect(load({ LLM_PROVIDER: 'gemini' }).models.provider).toBe('google')
  })

  it('reads the keys and addresses of models, by all their names, and takes no address with a key in it', () => {
    const config = load({
      ANTHROPIC_API_KEY: 'a',
      ANTHROPIC_BASE_URL: 'https://a.example.com',
      OPENAI_API_KEY: 'o',
      OPENAI_BASE_URL: 'https://o.example.com/v1',
      GEMINI_API_KEY: 'g',
      GEMINI_BASE_URL: 'https://g.example.com',
      COMPATIBLE_API_KEY: 'c',
      COMPATIBLE_BASE_URL: 'http://127.0.0.1:11434/v1',
      LLM_PROVIDER: 'compatible',
      LLM_MODEL: 'llama',
    })
    expect(config.models).toEqual({
      provider: 'compatible',
      model: 'llama',
      anthropic: { apiKey: 'a', baseUrl: 'https://a.example.com' },
      openai: { apiKey: 'o', baseUrl: 'https://o.example.com/v1' },
      google: { apiKey: 'g', baseUrl: 'https://g.example.com' },
      compatible: { apiKey: 'c', baseUrl: 'http://127.0.0.1:11434/v1' },
    })
    for (const address of [
      'https://me:pw@o.example.com',
      'https://sk-key@o.example.com',
      'ftp://x',
      'o.example.com',
    ])
      expect(mistakes({ OPENAI_BASE_URL: address })).toEqual([
        expect.stringMatching(/^OPENAI_BASE_URL: must be an http or https address/),
      ])
    expect(mistakes({ LLM_PROVIDER: 'mistral' })).toEqual([expect.stringMatching(/^LLM_PROVIDER: /)])
  })

  it('refuses a time that no timer can wait for', () => {
    expect(mistakes({ SESSION_TTL: '25d' })).toEqual([expect.stringMatching(/at most 24d/)])
    expect(mistakes({ SESSION_TTL: '24d' })).toEqual([])
  })

  it('counts an empty variable as unset', () => {
    expect(load({ PORT: '', DATABASE_URL: '', SIGNALBOX_CONFIG: '', SIGNALBOX_HOME: '' })).toMatchObject({
      port: 4100,
    })
  })

  it('takes aliases, and refuses two names that disagree', () => {
    expect(load({ TERMINAL_WS_PORT: '5000' }).terminalPort).toBe(5000)
    expect(load({ TERMINAL_WS_PORT: '5000', TERMINAL_PORT: '5000' }).terminalPort).toBe(5000)
    expect(load({ GEMINI_API_KEY: 'k' }).models.google.apiKey).toBe('k')
    const both = { STALE_JOB_THRESHOLD_MS: '40000', STALE_AFTER_MS: '50000' }
    expect(mistakes(both)).toEqual([
      expect.stringMatching(/^STALE_JOB_THRESHOLD_MS: and STALE_AFTER_MS are two names/),
    ])
  })

  it('names every variable that is wrong, at once, and never its value', () => {
    const found = mistakes({
      PORT: 'hunter2',
      LOG_LEVEL: 'loud',
      SESSION_TTL: '5 parsecs',
      JWT_SECRET: 'short-secret',
    })
    expect(found).toEqual([
      'PORT: must be a whole number from 0 to 65535, for example 4100',
      'LOG_LEVEL: must be one of trace, debug, info, warn, error, fatal',
      expect.stringMatching(/^JWT_SECRET: must be a secret of at least 32 characters/),
      expect.stringMatching(/^SESSION_TTL: must be a time .* for example 24h$/),
    ])
    expect(found.join('\n')).not.toMatch(/hunter2|short-secret/)
  })
})

describe('the YAML file', () => {
  it('loads the well-known file with its keys unchanged', () => {
    const env = {
      HELPSCOUT_CLIENT_ID: 'id-1',
      HELPSCOUT_CLIENT_SECRET: 'secret-1',
      PUBLIC_URL: 'https://box.example.com',
    }
    const config = load(env, seed)
    expect(config).toMatchObject({
      port: 3000,
      host: '0.0.0.0',
      cors: { enabled: true, origins: ['http://localhost:3000'] },
      sandbox: {
        runtime: 'quickjs',
        workers: { min: 2, max: 10, idleTimeout: 30_000 },
        limits: { memory: 128 * 1024 ** 2, timeout: 30_000, cpuQuota: 0.5 },
      },
      auth: { provider: 'oauth2', issuer: 'https://auth.company.com', audience: 'codemode-api' },
      capabilities: {
        network: { maxRequestsPerSecond: 10, allowedHosts: ['api.helpscout.net'], maxRequestSize: 1024 ** 2 },
        mcp: { maxCallsPerSecond: 5, allowedServers: ['helpscout', 'filesystem'] },
      },
      mcp: {
        servers: {
          helpscout: {
            transport: 'stdio',
            command: 'npx',
            args: ['help-scout-mcp-server'],
            env: { HELPSCOUT_CLIENT_ID: 'id-1', HELPSCOUT_CLIENT_SECRET: 'secret-1' },
          },
          filesystem: { command: 'node', args: ['./servers/filesystem.js'] },
        },
      },
      log: {
        format: 'json',
        outputs: [{ type: 'console' }, { type: 'file', path: join(cwd, 'logs/codemode.log') }],
      },
    })
    expect(config.sources.get('server.port')).toBe('file')
  })

  it('says where a variable is missing, and that a public host needs TLS', () => {
    expect(mistakes({ HELPSCOUT_CLIENT_ID: 'id-1' }, seed)).toEqual([
      expect.stringMatching(
        /^signalbox\.config\.yaml:4:9: server\.host 0\.0\.0\.0 is reachable .*TLS.*PUBLIC_URL/,
      ),
      expect.stringMatching(
        /^signalbox\.config\.yaml:43:34: mcp\.servers\.helpscout\.environment\.HELPSCOUT_CLIENT_SECRET names the variable HELPSCOUT_CLIENT_SECRET, which is not set/,
      ),
    ])
  })

  it('takes all that a workspace can be told, and only ports that there are', () => {
    const app = '    app: { command: npm start, port: 3000 }\n    worktrees: false\n    logins: [claude]\n'
    expect(load({}, `workspaces:\n  mine:\n    root: /mine\n${app}`).workspaces['mine']).toMatchObject({
      app: { command: 'npm start', port: 3000 },
      worktrees: false,
      logins: ['claude'],
    })
    const wrong =
      'workspaces:\n  mine:\n    ports: [8000, 0]\n    app: { command: x, port: 80 }\n    logins: [me]\n'
    expect(mistakes({}, wrong)).toEqual([
      expect.stringMatching(/:3:\d+.*workspaces\.mine\.ports\[1\].*from 1 to 65535/),
      expect.stringMatching(/:4:\d+.*workspaces\.mine\.app\.port.*from 1024 to 65535/),
      expect.stringMatching(/:5:\d+.*workspaces\.mine\.logins\[0\].*one of claude/),
    ])
  })

  it('gives way to the environment and remembers who said what', () => {
    const config = load({ PORT: '5001' }, 'server:\n  port: 5000\n  terminalPort: 5002\n')
    expect(config).toMatchObject({ port: 5001, terminalPort: 5002 })
    expect(Object.fromEntries(config.sources)).toEqual({
      'server.port': 'environment',
      'server.terminalPort': 'file',
    })
  })

  it('still tells of a wrong value that the environment replaces', () => {
    expect(mistakes({ PORT: '5001' }, 'server: {port: nope}')).toHaveLength(1)
  })

  it('is found by SIGNALBOX_CONFIG, and its paths start where it lies', () => {
    mkdirSync(join(cwd, 'etc'))
    writeFileSync(join(cwd, 'etc/box.yaml'), 'logging: {dir: ./logs}\n')
    const config = load({ SIGNALBOX_CONFIG: 'etc/box.yaml' })
    expect(config).toMatchObject({
      configFile: join(cwd, 'etc/box.yaml'),
      log: { dir: join(cwd, 'etc/logs') },
    })
    expect(mistakes({ SIGNALBOX_CONFIG: 'nowhere.yaml' })).toEqual([
      'SIGNALBOX_CONFIG: names nowhere.yaml, which does not exist',
    ])
  })

  it('reports everything at once, each with its place and what to write instead', () => {
    const yaml = [
      'server:',
      '  prot: 4100',
      '  host: 127.0.0.1',
      'logging:',
      '  level: loud',
      '  outputs: console',
      'worker: many',
      'mcp:',
      '  servers:',
      '    broken: {transport: http}',
      '    odd: {transport: stdio, command: x, environment: {PORT: 3000}}',
      'nonsense: 1',
    ]
    expect(mistakes({ PORT: '-1' }, yaml.join('\n'))).toEqual([
      'signalbox.config.yaml:2:3: server.prot is not a known key; did you mean port?',
      'signalbox.config.yaml:5:10: logging.level must be one of trace, debug, info, warn, error, fatal',
      'signalbox.config.yaml:6:12: logging.outputs must be a list, for example ["one", "two"]',
      'signalbox.config.yaml:7:9: worker must be a map of keys and values',
      'signalbox.config.yaml:10:5: mcp.servers.broken.url is missing: transport http needs it',
      expect.stringMatching(
        /^signalbox\.config\.yaml:11:61: mcp\.servers\.odd\.environment\.PORT must be text \(in quotes/,
      ),
      expect.stringMatching(
        /^signalbox\.config\.yaml:12:1: nonsense is not a known key; known here: server, database, /,
      ),
      'PORT: must be a whole number from 0 to 65535, for example 4100',
    ])
  })
})

it('takes origins by name alone, and no word for all of them', () => {
  expect(mistakes({}, "server: {cors: {enabled: true, origins: ['*']}}")).toEqual([
    expect.stringMatching(/server\.cors\.origins\[0\] must be an http or https address/),
  ])
})

describe('secrets', () => {
  it('are kept out of logs, also those that only the file knows', () => {
    load({}, 'database: {url: "postgres://ada:from%20the%20file@db/box"}\nbridge: {token: bridge-token-1}\n')
    expect(redactText('x from the file y bridge-token-1 z')).toBe('x [redacted] y [redacted] z')
    load({}, 'database: {url: "postgres://ada:for%20a%20socket@/box?host=/run/x"}')
    expect(redactText('x for a socket y')).toBe('x [redacted] y')
  })
})

describe('values that contradict each other', () => {
  it.each([
    [{ HOST: '0.0.0.0' }, /^HOST: .*PUBLIC_URL/],
    [{ HOST: '::', PUBLIC_URL: 'http://box.example.com' }, /^PUBLIC_URL: is not https .*TRUST_PROXY/],
    [{ PORT: '5000', TERMINAL_PORT: '5000' }, /^TERMINAL_PORT: must differ from server\.port/],
    [{ STALE_AFTER_MS: '6000' }, /^STALE_AFTER_MS: must be at least twice/],
    [{ LOST_AFTER_MS: '20000' }, /^LOST_AFTER_MS: must be at least worker.staleAfter/],
    [{ HEARTBEAT_INTERVAL_MS: '60000' }, /worker\.staleAfter must be at least twice/],
    [{ OIDC_ISSUER: 'https://auth.example.com' }, /^OIDC_ISSUER: needs security\.auth\.audience/],
  ])('%j', (env, expected) => expect(mistakes(env)).toEqual([expect.stringMatching(expected)]))

  it.each([
    { HOST: 'localhost' },
    { HOST: '127.0.0.2' },
    { HOST: '::1' },
    { HOST: '0.0.0.0', PUBLIC_URL: 'https://box.example.com' },
    { HOST: '0.0.0.0', PUBLIC_URL: 'http://box.lan', TRUST_PROXY: 'true' },
    { PORT: '0', TERMINAL_PORT: '0' },
  ])('not %j', (env) => expect(mistakes(env)).toEqual([]))

  it('are told together with values that are wrong alone', () => {
    expect(mistakes({ HOST: '0.0.0.0', PORT: 'x' })).toHaveLength(2)
  })
})
