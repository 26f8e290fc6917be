import { expect, test } from 'vitest'
import type { Config } from '#config/config.ts'
import { insideArguments, insideEnvironment } from './inside-environment.ts'
import { modelForwards } from './model-forwards.ts'

const secret = 'sk-really-secret'
const none = { anthropic: {}, openai: {}, google: {}, compatible: {} }
const configOf = (models: object) => ({ models: { ...none, ...models } }) as Config

const claude: Parameters<typeof insideEnvironment>[0] = {
  preset: 'claude',
  adapter: 'claude',
  binaryPath: '/x/claude',
  envAllowlist: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'CLAUDE_CONFIG_DIR',
    'HTTPS_PROXY',
    'SSL_CERT_FILE',
    'AWS_REGION',
  ],
}

const ours = {
  PATH: '/home/me/bin',
  HOME: '/home/me',
  LANG: 'C.UTF-8',
  ANTHROPIC_API_KEY: secret,
  ANTHROPIC_AUTH_TOKEN: `${secret}-token`,
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
  CLAUDE_CONFIG_DIR: '/home/me/.claude',
  HTTPS_PROXY: 'http://proxy.example',
  SSL_CERT_FILE: '/home/me/ca.pem',
  AWS_REGION: 'eu-west-1',
  SECRET_OF_OTHERS: 'x',
}

function environment(agent: typeof claude, models: object, logins: string[] = [], env: object = ours) {
  const config = configOf(models)
  const forwards = modelForwards(config, env as NodeJS.ProcessEnv)
  return insideEnvironment(agent, { config, env: { ...env }, forwards, logins, home: '/home/agent/1' })
}

test('an agent knows where its model and the way out are, and no key that a forward holds', () => {
  const known = environment(claude, { anthropic: { apiKey: secret, baseUrl: 'http://127.0.0.1:9' } })
  expect(known).toEqual({
    LANG: 'C.UTF-8',
    AWS_REGION: 'eu-west-1',
    HOME: '/home/agent/1',
    USER: 'agent',
    PATH: expect.stringContaining('/usr/bin'),
    TMPDIR: '/tmp',
    HTTP_PROXY: 'http://127.0.0.1:3128',
    HTTPS_PROXY: 'http://127.0.0.1:3128',
    http_proxy: 'http://127.0.0.1:3128',
    https_proxy: 'http://127.0.0.1:3128',
    NO_PROXY: '127.0.0.1,localhost,::1',
    no_proxy: '127.0.0.1,localhost,::1',
    NODE_USE_ENV_PROXY: '1',
    ANTHROPIC_API_KEY: 'held-by-signalbox',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:3129/anthropic',
  })
})

test('a key that no forward holds is passed, as it was asked for', () => {
  const agent = {
    ...claude,
    preset: null,
    binaryPath: '/x/other',
    envAllowlist: ['GROQ_API_KEY', 'OPENAI_API_KEY'],
  }
  const known = environment(agent, { openai: { apiKey: secret } }, [], {
    GROQ_API_KEY: 'gsk',
    OPENAI_API_KEY: secret,
  })
  expect(known).toMatchObject({
    GROQ_API_KEY: 'gsk',
    OPENAI_API_KEY: 'held-by-signalbox',
    OPENAI_BASE_URL: 'http://127.0.0.1:3129/openai',
  })
  expect(JSON.stringify(known)).not.toContain(secret)
})

test('one whose login is inside gets neither a key nor a stand-in for one', () => {
  const known = environment(claude, { anthropic: { apiKey: secret } }, ['claude'])
  expect(known).not.toHaveProperty('ANTHROPIC_API_KEY')
  expect(known).not.toHaveProperty('ANTHROPIC_BASE_URL')
  expect(JSON.stringify(known)).not.toContain(secret)
})

test('a token of a subscription is sent as one', () => {
  const env = { CLAUDE_CODE_OAUTH_TOKEN: secret }
  expect(modelForwards(configOf({}), env)).toEqual([
    { name: 'anthropic', url: 'https://api.anthropic.com', headers: { authorization: `Bearer ${secret}` } },
  ])
  const known = environment({ ...claude, envAllowlist: ['CLAUDE_CODE_OAUTH_TOKEN'] }, {}, [], env)
  expect(known).toMatchObject({ CLAUDE_CODE_OAUTH_TOKEN: 'held-by-signalbox' })
  expect(known).not.toHaveProperty('ANTHROPIC_API_KEY')
})

test('a forward goes to the root that clients append to, whatever of it was configured too', () => {
  const config = configOf({
    anthropic: { apiKey: 'a', baseUrl: 'https://gateway.example/x/v1/' },
    openai: { apiKey: 'b', baseUrl: 'https://gateway.example/openai/v1/' },
    google: { apiKey: 'c', baseUrl: 'https://gateway.example/v1beta' },
    compatible: { baseUrl: 'http://127.0.0.1:11434/v1' },
  })
  expect(modelForwards(config, {})).toEqual([
    { name: 'anthropic', url: 'https://gateway.example/x', headers: { 'x-api-key': 'a' } },
    { name: 'openai', url: 'https://gateway.example/openai/v1', headers: { authorization: 'Bearer b' } },
    { name: 'google', url: 'https://gateway.example', headers: { 'x-goog-api-key': 'c' } },
    { name: 'compatible', url: 'http://127.0.0.1:11434/v1', headers: {} },
  ])
  expect(modelForwards(configOf({}), {})).toEqual([])
})

test('Codex is told of its model by arguments, which its own come after', () => {
  const codex = { ...claude, preset: 'codex', adapter: 'codex' as const, binaryPath: '/x/codex' }
  const forwards = [{ name: 'openai', url: 'https://api.openai.com/v1', headers: {} }]
  expect(insideArguments(codex, { forwards, logins: [] }).join(' ')).toContain(
    'base_url = "http://127.0.0.1:3129/openai"',
  )
  expect(insideArguments(codex, { forwards, logins: ['codex'] })).toEqual([])
  expect(insideArguments(codex, { forwards: [], logins: [] })).toEqual([])
})
