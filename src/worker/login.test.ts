import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { AgentPreset } from '#contract/agent.ts'
import { envKeysIn, loginOf } from './login.ts'

let home = ''

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-login-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
})

function put(path: string, content: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), content)
}

const told = async (key: AgentPreset, env: Record<string, string> = {}, more = {}) =>
  (await loginOf(key, { env: { HOME: home, ...env }, cwd: join(home, 'work/repo'), ...more })).state

describe('without anything', () => {
  test.each([
    ['claude', 'no', /`claude`.*ANTHROPIC_API_KEY/],
    ['codex', 'no', /codex login/],
    ['gemini', 'no', /`gemini`.*GEMINI_API_KEY/],
    ['opencode', 'unknown', /opencode auth login/],
  ] as const)('%s is logged in: %s, and it is said what to run', async (key, state, how) => {
    expect(await loginOf(key, { env: { HOME: home } })).toEqual({ state, how: expect.stringMatching(how) })
  })
})

test.each([
  ['claude', 'ANTHROPIC_API_KEY'],
  ['claude', 'ANTHROPIC_AUTH_TOKEN'],
  ['claude', 'CLAUDE_CODE_OAUTH_TOKEN'],
  ['claude', 'CLAUDE_CODE_USE_BEDROCK'],
  ['codex', 'OPENAI_API_KEY'],
  ['codex', 'CODEX_API_KEY'],
  ['gemini', 'GEMINI_API_KEY'],
  ['gemini', 'GOOGLE_API_KEY'],
  ['opencode', 'OPENROUTER_API_KEY'],
  ['opencode', 'OPENCODE_CONFIG'],
] as const)('%s is by %s, unless it is empty', async (key, name) => {
  expect(await loginOf(key, { env: { HOME: home, [name]: 'x' } })).toEqual({ state: 'yes', how: name })
  expect(await told(key, { [name]: '' })).not.toBe('yes')
})

test.each([
  ['claude', '.claude/.credentials.json', '{"claudeAiOauth":{}}'],
  ['claude', '.claude/settings.json', '{"apiKeyHelper":"/bin/key"}'],
  ['claude', '.claude/settings.json', '{"env":{"ANTHROPIC_API_KEY":"x"}}'],
  ['claude', 'work/repo/.claude/settings.local.json', '{"apiKeyHelper":"/bin/key"}'],
  ['claude', '.claude.json', '{"primaryApiKey":"x"}'],
  ['codex', '.codex/auth.json', '{"OPENAI_API_KEY":"x"}'],
  ['codex', '.codex/auth.json', '{"OPENAI_API_KEY":null,"tokens":{"access_token":"x"}}'],
  ['gemini', '.gemini/oauth_creds.json', '{"refresh_token":"x"}'],
  ['opencode', '.local/share/opencode/auth.json', '{"anthropic":{"type":"api"}}'],
] as const)('%s is by %s with %s', async (key, file, content) => {
  put(file, content)
  expect(await told(key)).toBe('yes')
})

test.each([
  ['codex', '.codex/auth.json', '{"OPENAI_API_KEY":null}', 'no'],
  ['codex', '.codex/auth.json', '{broken', 'unknown'],
  ['codex', '.codex/config.toml', 'model_provider = "local"\n', 'unknown'],
  ['claude', '.claude/settings.json', '{"model":"opus"}', 'no'],
  ['claude', '.claude/settings.json', '{broken', 'unknown'],
  ['gemini', '.gemini/.env', 'GEMINI_API_KEY=x\n', 'unknown'],
  ['gemini', 'work/.env', 'GEMINI_API_KEY=x\n', 'unknown'],
  ['gemini', '.gemini/settings.json', '{"security":{"auth":{"selectedType":"oauth-personal"}}}', 'unknown'],
  ['gemini', '.gemini/settings.json', '{"theme":"x"}', 'no'],
  ['opencode', '.local/share/opencode/auth.json', '{}', 'unknown'],
] as const)('%s with %s %s: %s', async (key, file, content, state) => {
  put(file, content)
  expect(await told(key)).toBe(state)
})

test('other folders count where they are named', async () => {
  put('elsewhere/.credentials.json', '{"claudeAiOauth":{}}')
  put('elsewhere/auth.json', '{"OPENAI_API_KEY":"x"}')
  expect(await told('claude', { CLAUDE_CONFIG_DIR: join(home, 'elsewhere') })).toBe('yes')
  expect(await told('codex', { CODEX_HOME: join(home, 'elsewhere') })).toBe('yes')
})

test('a gateway or settings of its own may need no key of ours', async () => {
  expect(await told('claude', { ANTHROPIC_BASE_URL: 'http://gateway' })).toBe('unknown')
  expect(await told('claude', {}, { args: ['--settings', '/etc/s.json'] })).toBe('unknown')
})

test('the key of a provider of Codex’s own counts when it is passed on', async () => {
  put('.codex/config.toml', 'model_provider = "fake"\n[model_providers.fake]\n  env_key = "FAKE_KEY"\n')
  expect(await told('codex', { FAKE_KEY: 'x' })).toBe('yes')
  expect(await told('codex')).toBe('no')
  expect(envKeysIn('# env_key = "NO"\nenv_key=\'A\'\nenv_key = "B" # \nenv_key = "A"')).toEqual(['A', 'B'])
})
