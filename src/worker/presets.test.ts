import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { AgentPreset } from '#contract/agent.ts'
import { presetsHere, readyProgram } from './presets.ts'

let folder = ''
let env: Record<string, string> = {}

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-presets-')))
  env = { PATH: `${folder}/bin:/usr/bin:/bin`, HOME: `${folder}/home`, SIGNALBOX_HOME: `${folder}/signalbox` }
  onTestFinished(() => rmSync(folder, { recursive: true }))
})

function put(path: string, content: string, mode = 0o644): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, mode)
  return file
}

/** A real program that notes every start, and the variables it was started with. */
const install = (name: string, says: string, more = '') =>
  put(`bin/${name}`, `#!/bin/sh\nenv >> ${folder}/started\n${more}\necho '${says}'\n`, 0o755)

const starts = () => readFileSync(join(folder, 'started'), 'utf8').match(/^PATH=/gm)?.length ?? 0
const machine = () => ({ config: loadConfig({ env, cwd: folder }), env })

async function found(key: AgentPreset) {
  const [preset] = await presetsHere(machine(), { key })
  return preset!
}

describe('what is installed', () => {
  test('is found on PATH, with its version, and all are told of, the demo last', async () => {
    const binaryPath = install('claude', '2.1.325 (Claude Code)')
    const all = await presetsHere(machine())
    expect(all.map(({ key, installed }) => [key, installed])).toEqual([
      ['claude', true],
      ['codex', false],
      ['gemini', false],
      ['opencode', false],
      ['demo', true],
    ])
    expect(all[0]).toMatchObject({ binaryPath, version: '2.1.325', tooOld: false, trouble: null })
    expect(all[1]).toMatchObject({ binaryPath: null, version: null, install: 'npm install -g @openai/codex' })
  })

  test('is asked for its version once, and again when its file has changed', async () => {
    const file = install('codex', 'codex-cli 0.166.0')
    for (let n = 0; n < 3; n++) expect((await found('codex')).version).toBe('0.166.0')
    expect(starts()).toBe(1)
    install('codex', 'codex-cli 0.99.9')
    utimesSync(file, 1, 1)
    expect(await found('codex')).toMatchObject({ version: '0.99.9', tooOld: true })
  })

  test('gets no more of our environment than it would as an agent', async () => {
    install('claude', '2.1.325')
    env = { ...env, ANTHROPIC_API_KEY: 'sk-test', DATABASE_URL: 'postgres://us', OTHER: 'x' }
    await found('claude')
    const seen = readFileSync(join(folder, 'started'), 'utf8')
    expect(seen).toContain('ANTHROPIC_API_KEY=sk-test')
    expect(seen).not.toMatch(/DATABASE_URL|OTHER/)
  })

  test('and does not run is said, with its own words', async () => {
    put('bin/gemini', '#!/bin/sh\necho "Node 12 is too old" >&2\nexit 3\n', 0o755)
    expect(await found('gemini')).toMatchObject({
      installed: true,
      version: null,
      trouble: 'Node 12 is too old',
    })
  })

  test('and never answers holds nobody up for longer than 5 s', { timeout: 15_000 }, async () => {
    put('bin/opencode', '#!/bin/sh\nsleep 600\n', 0o755)
    expect(await found('opencode')).toMatchObject({ installed: true, version: null, trouble: null })
  })

  test('counts only in folders that the machine allows', async () => {
    install('claude', '2.1.325')
    env['ALLOWED_BINARY_DIRS'] = '/usr/bin'
    expect((await found('claude')).installed).toBe(false)
    env['ALLOWED_BINARY_DIRS'] = `${folder}/bin`
    env['PATH'] = '/usr/bin:/bin'
    expect((await found('claude')).installed).toBe(true)
  })
})

describe('before an agent is talked to', () => {
  const agent = (binaryPath: string, more: object = {}) => ({
    name: 'Claude',
    preset: null,
    adapter: 'claude' as const,
    args: [],
    envAllowlist: ['ANTHROPIC_API_KEY'],
    binaryPath,
    ...more,
  })
  const ready = (binaryPath: string, more: object = {}) =>
    readyProgram(machine(), agent(binaryPath, more), folder)

  test('its program has to be there, and the answer says how to install it', async () => {
    await expect(ready(`${folder}/bin/claude`)).rejects.toMatchObject({
      code: 'agent_not_ready',
      message: expect.stringMatching(/does not exist\. Install it: npm install -g @anthropic-ai/),
    })
    const other = ready(`${folder}/bin/other`, { adapter: 'acp' })
    await expect(other).rejects.toMatchObject({ code: 'does_not_fit' })
  })

  test('it has to be new enough', async () => {
    env['ANTHROPIC_API_KEY'] = 'sk-test'
    await expect(ready(install('claude', '1.0.88 (Claude Code)'))).rejects.toMatchObject({
      code: 'agent_not_ready',
      message:
        'Claude is not ready: Claude Code 1.0.88 is too old, it takes 2.0.0 or newer. Update it: npm install -g @anthropic-ai/claude-code',
    })
  })

  test('it has to be logged in, as far as that is sure', async () => {
    const program = install('claude', '2.1.325')
    await expect(ready(program)).rejects.toMatchObject({
      code: 'agent_not_ready',
      message: expect.stringContaining('it is not logged in: run `claude` in a terminal'),
    })
    put('home/.claude/.credentials.json', '{"claudeAiOauth":{"accessToken":"x"}}')
    expect(await ready(program)).toBe(program)
  })

  test('a variable that it would not be passed is no login', async () => {
    const program = install('claude', '2.1.325')
    env['ANTHROPIC_API_KEY'] = 'sk-test'
    await expect(ready(program, { envAllowlist: [] })).rejects.toMatchObject({ code: 'agent_not_ready' })
    expect(await ready(program)).toBe(program)
  })

  test('a wrapper by another name knows by itself', async () => {
    const wrapper = install('my-claude', 'whatever')
    expect(await ready(wrapper)).toBe(wrapper)
    expect(await ready(install('my-claude', '2.1.0'), { preset: 'claude' })).toBe(wrapper)
  })
})
