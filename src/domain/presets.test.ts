import { expect, test } from 'vitest'
import { CreateAgent, EditAgent } from '#contract/agent.ts'
import { CreateCapability } from '#contract/capability.ts'
import { askCapability, isOlder, knownAgent, presets, versionIn } from './presets.ts'

test.each([
  ['2.1.325 (Claude Code)\n', '2.1.325'],
  ['codex-cli 0.166.0', '0.166.0'],
  ['\u001b[0m0.61.0-preview.2\n', '0.61.0-preview.2'],
  ['Error: Node 12 is too old', undefined],
])('the version in %j is %s', (output, version) => {
  expect(versionIn(output)).toBe(version)
})

test.each([
  ['1.9.9', '2.0.0', true],
  ['0.9.0', '0.33.0', true],
  ['0.33.0', '0.33.0', false],
  ['0.33.0-preview.11', '0.33.0', false],
  ['10.0.0', '9.9.9', false],
])('%s is older than %s: %s', (version, least, older) => {
  expect(isOlder(version, least)).toBe(older)
})

test('an agent is known by its preset, or by a protocol that only one speaks and the name of its program', () => {
  const known = (preset: string | null, adapter: 'acp' | 'codex', binaryPath = '/usr/bin/codex') =>
    knownAgent({ preset, adapter, binaryPath })?.key
  expect(known('gemini', 'acp')).toBe('gemini')
  expect(known(null, 'codex')).toBe('codex')
  expect(known(null, 'codex', '/usr/bin/my-codex')).toBeUndefined()
  expect(known(null, 'acp')).toBeUndefined()
  expect(known('constructor', 'acp')).toBeUndefined()
})

test.each(Object.values(presets))('what $name brings along fits an agent and a capability', (known) => {
  const { name, adapter, args, envAllowlist, leastVersion } = known
  expect(CreateAgent.parse({ preset: known.key })).toMatchObject({ preset: known.key })
  expect(EditAgent.safeParse({ name, adapter, args, envAllowlist }).error).toBeUndefined()
  expect(versionIn(leastVersion)).toBe(leastVersion)
  expect(CreateCapability.parse(askCapability)).toEqual(askCapability)
})
