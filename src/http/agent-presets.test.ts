import { describe, expect, test } from 'vitest'
import type { PresetOnMachine } from '#contract/preset.ts'
import { ada, openStaffedRegistry } from '../../test/support/registry.ts'

const claude: PresetOnMachine = {
  key: 'claude',
  name: 'Claude Code',
  adapter: 'claude',
  installed: true,
  binaryPath: '/usr/bin/claude',
  version: '2.1.325',
  leastVersion: '2.0.0',
  tooOld: false,
  trouble: null,
  login: { state: 'yes', how: 'ANTHROPIC_API_KEY' },
  install: 'npm install -g @anthropic-ai/claude-code',
  args: ['--own'],
  envAllowlist: ['ANTHROPIC_API_KEY'],
}

async function openWith(found: Partial<PresetOnMachine> = {}) {
  const box = await openStaffedRegistry()
  box.worker.answer = (question) =>
    (question as { adapter?: string }).adapter ? { data: question } : { data: [{ ...claude, ...found }] }
  return box
}

describe('an agent from a preset', () => {
  test('has its program, its variables and something to be asked for', async () => {
    const { call, machineId, worker } = await openWith()
    const { status, body } = await call('POST', '/agents', { preset: 'claude', workingDir: '/repo' })
    expect([status, body.data]).toEqual([
      201,
      expect.objectContaining({
        name: 'Claude Code',
        kind: 'coding',
        adapter: 'claude',
        preset: 'claude',
        machineId,
        binaryPath: '/usr/bin/claude',
        workingDir: '/repo',
        args: ['--own'],
        envAllowlist: ['ANTHROPIC_API_KEY'],
      }),
    ])
    expect(worker.asked).toMatchObject([{ path: '/presets', key: 'claude' }, { path: '/check-agent' }])
    const capabilities = await call('GET', `/agents/${body.data.id}/capabilities`)
    expect(capabilities.body.data).toMatchObject([
      {
        key: 'ask',
        interactionMode: 'prompt',
        promptTemplate: null,
        dangerLevel: 1,
        timeoutSec: 3600,
        maxOutputBytes: 209_715_200,
      },
    ])
  })

  test('can be given a name, a program and more of everything', async () => {
    const { call, worker } = await openWith({ binaryPath: '/opt/claude' })
    const { body } = await call('POST', '/agents', {
      preset: 'claude',
      name: 'Mine',
      binaryPath: '/opt/claude',
      args: ['--more'],
      envAllowlist: ['MINE', 'ANTHROPIC_API_KEY'],
      model: 'opus',
      maxBudgetUsd: 1,
    })
    expect(body.data).toMatchObject({
      name: 'Mine',
      binaryPath: '/opt/claude',
      args: ['--own', '--more'],
      envAllowlist: ['ANTHROPIC_API_KEY', 'MINE'],
      model: 'opus',
      maxBudgetUsd: 1,
    })
    expect(worker.asked[0]).toMatchObject({ key: 'claude', binaryPath: '/opt/claude' })
  })

  test.each([
    [
      { installed: false, binaryPath: null },
      /not installed on the machine\. Install it: npm install -g @anth/,
    ],
    [{ version: '1.0.0', tooOld: true }, /1\.0\.0 is too old, it takes 2\.0\.0 or newer\. Update it: npm/],
    [{ version: null, trouble: 'Killed' }, /does not run: Killed/],
  ])('is not made from %j', async (found, message) => {
    const { call } = await openWith(found)
    const { status, body } = await call('POST', '/agents', { preset: 'claude' })
    expect([status, body.error.message]).toEqual([422, expect.stringMatching(message)])
    expect((await call('GET', '/agents')).body.meta.total).toBe(0)
  })

  test.each([{ adapter: 'codex' }, { kind: 'tool' }, { preset: 'cursor' }])('is not %j', async (more) => {
    const { call } = await openWith()
    expect((await call('POST', '/agents', { preset: 'claude', ...more })).status).toBe(422)
  })

  test('leaves nothing behind when its name is taken', async () => {
    const { call } = await openWith()
    expect((await call('POST', '/agents', { preset: 'claude' })).status).toBe(201)
    expect((await call('POST', '/agents', { preset: 'claude' })).body.error.code).toBe('agent_name_taken')
  })
})

test('without a preset an agent needs a name', async () => {
  const { call } = await openWith()
  const { status, body } = await call('POST', '/agents', { binaryPath: '/usr/bin/git' })
  expect([status, body.error.context.fields[0]]).toEqual([422, { field: 'name', reason: 'is needed' }])
})

test('what a machine has is told to the owner alone', async () => {
  const { call, as, machineId } = await openWith()
  const { body } = await call('GET', '/agents/presets')
  expect(body).toEqual({ data: [{ ...claude, machineId }], meta: { total: 1, page: 1, pageSize: 1 } })
  expect((await as(ada, 'GET', '/agents/presets')).status).toBe(403)
  expect((await call('GET', '/agents/presets?machineId=nowhere')).status).toBe(422)
})
