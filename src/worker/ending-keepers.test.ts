import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Launch } from '#contract/keeper.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { signalProcess } from '#lib/process-end.ts'
import { openTestWorkspaces } from '../../test/support/workspaces-here.ts'
import { openIdleWatch } from './idle-keepers.ts'
import { openKeepers } from './keepers.ts'
import type { Keeper } from './keepers.ts'
import { openWorkspaceVerbs } from './workspace-verbs.ts'

// Stopping what serves a workspace, with real keepers.

// Each starts several keepers, and waits for one that is silent.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const script = join(import.meta.dirname, '../main/keeper.ts')
const log = pino({ level: 'silent' })

async function open() {
  const here = await openTestWorkspaces()
  const { home } = here
  const runtime = { node: process.execPath, script }
  const keepers = openKeepers({ home, runtimeFolder: home, runtime, log })
  onTestFinished(async () => {
    await keepers.close()
    for (const keeper of await keepers.all()) {
      signal(keeper, 'SIGCONT')
      await keeper.client.shutdown({ reason: 'The test is over', graceMs: 0 }).catch(() => undefined)
      await expect.poll(() => keeper.isAlive(), { timeout: 20_000 }).toBe(false)
    }
  })
  const readyWorkspace = here.ready(async () => undefined)
  const act = openWorkspaceVerbs({ ...here, keepers, readyWorkspace })
  const ask = (workspaceId: string, verb: 'stop' | 'trash') =>
    act({ workspaceId, verb, input: {}, by: owner })
  /** A workspace with a keeper that serves it. */
  async function served(program = '/bin/true', argv: string[] = []) {
    const { id, root } = await here.insert({ root: mkdtempSync(join(here.work, 'served-')) })
    const keeper = await keepers.forWorkspace(id)
    const launch: Launch = {
      executionId: newId(),
      sessionId: newId(),
      epoch: 1,
      workspace: { id, driver: 'folder', root },
      adapter: 'template',
      program,
      argv,
      env: {},
      cwd: root,
      timeoutMs: 60_000,
      maxOutputBytes: 1_000_000,
      notAfter: Date.now() + 60_000,
    }
    const begin = () => keeper.client.launch(launch)
    const end = async () => {
      const { executionId, epoch } = launch
      await expect
        .poll(async () => (await keeper.client.greet()).executions[0]?.state, { timeout: 20_000 })
        .toBe('ended')
      await keeper.client.release(executionId, epoch)
    }
    return { id, keeper, begin, end }
  }
  return { ...here, keepers, ask, served }
}

const signal = ({ record }: Keeper, name: 'SIGSTOP' | 'SIGCONT') => {
  if (record) signalProcess(record.identity, name)
}
const sleeper: [string, string[]] = ['/bin/sleep', ['60']]

test('a stop that is refused leaves the keeper to the workspace, so that no second one comes', async () => {
  const { keepers, ask, served } = await open()
  const { id, keeper, begin } = await served(...sleeper)
  await begin()
  await expect(ask(id, 'stop')).rejects.toMatchObject({ code: 'workspace_in_use' })
  await expect(ask(id, 'trash')).rejects.toMatchObject({ code: 'workspace_in_use' })
  expect((await keepers.forWorkspace(id)).id).toBe(keeper.id)
})

test('a keeper that is used in the very moment in which it is to end stays with its workspace', async () => {
  const { keepers, db, config, served } = await open()
  const { id, keeper, begin, end } = await served('/bin/sleep', ['1'])
  const endIdle = openIdleWatch({ db, keepers, config: () => ({ ...config(), sessionTtlMs: 0 }), log })
  const idle = { ...(await keeper.client.greet()), workspaceId: id }
  await begin()
  await endIdle(keeper, idle)
  expect((await keepers.forWorkspace(id)).id).toBe(keeper.id)
  await end()
  await endIdle(keeper, await keeper.client.greet())
  await expect.poll(() => keeper.isAlive(), { timeout: 20_000 }).toBe(false)
  expect((await keepers.forWorkspace(id)).id).not.toBe(keeper.id)
})

test('what took the place of one that has ended is not forgotten with it', async () => {
  const { keepers, served } = await open()
  const { id, keeper } = await served()
  keepers.forget(id, keeper)
  const next = await keepers.forWorkspace(id)
  keepers.forget(id, keeper)
  expect([(await keepers.forWorkspace(id)).id, next.id === keeper.id]).toEqual([next.id, false])
})

test('a keeper that is frozen keeps nobody else’s workspace from being stopped or trashed', async () => {
  const { ask, served, insert } = await open()
  const [frozen, other] = [await served(), await served()]
  for (const { begin, end } of [frozen, other]) {
    await begin()
    await end()
  }
  signal(frozen.keeper, 'SIGSTOP')
  expect(await ask(other.id, 'stop')).toEqual({ wasRunning: true })
  expect(await ask(other.id, 'trash')).toMatchObject({ filesRemoved: false })
  expect(await ask((await insert({})).id, 'stop')).toEqual({ wasRunning: false })
  await expect(ask(frozen.id, 'stop')).rejects.toMatchObject({
    code: 'workspace_in_use',
    message: expect.stringContaining('does not answer'),
  })
  signal(frozen.keeper, 'SIGCONT')
  expect(await ask(frozen.id, 'stop')).toEqual({ wasRunning: true })
})
