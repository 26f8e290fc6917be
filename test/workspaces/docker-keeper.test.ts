import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findContainers } from '#boundaries/docker/orphans.ts'
import { newId } from '#lib/id.ts'
import { prepareKeeperRuntime } from '../../src/main/keeper-bundle.ts'
import type { KeeperRuntime } from '#worker/keepers.ts'
import { countOf, openYard } from '../support/container.ts'
import type { Yard } from '../support/container.ts'
import { noEngine } from '../support/docker.ts'
import { startKeeper } from '../support/keeper.ts'
import type { TestKeeper } from '../support/keeper.ts'

const soon = { timeout: 20_000, interval: 50 }

describe.skipIf(noEngine)('a keeper with a container', () => {
  let home: string
  let yard: Yard
  let runtime: KeeperRuntime
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'docker-home-'))
    yard = await openYard()
    runtime = await prepareKeeperRuntime(home)
  }, 120_000)
  afterAll(async () => {
    await yard?.close()
    rmSync(home, { recursive: true, force: true })
  })

  const open = () =>
    startKeeper({ command: runtime, nodeFlags: ['--max-semi-space-size=1'], args: ['600000', home] })
  const containers = (keeper: TestKeeper) =>
    findContainers(home).then((all) => all.filter(({ keeperId }) => keeperId === keeper.keeperId))
  const call = (keeper: TestKeeper, workspace: object, tool: string, input: object) =>
    keeper.call('POST', `/tools/${tool}`, {
      workspace,
      notAfter: Date.now() + 60_000,
      input,
      limitMs: 60_000,
    })

  it('puts it up when it is needed, and takes it down when it is told to end', async () => {
    const keeper = await open()
    const workspace = yard.spec()
    expect(await containers(keeper)).toEqual([])
    const { body } = await call(keeper, workspace, 'command', { command: 'echo $((6 * 7)) | tee it; id -u' })
    expect(body.data).toMatchObject({ stdout: '42\n10001\n', exitCode: 0 })
    expect(readFileSync(join(workspace.root, 'it'), 'utf8')).toBe('42\n')
    expect(await containers(keeper)).toMatchObject([{ workspaceId: workspace.id, isRunning: true }])
    await keeper.stop()
    expect(await containers(keeper)).toEqual([])
  })

  it('does not leave it behind when it is killed', async () => {
    const keeper = await open()
    const workspace = yard.spec()
    await call(keeper, workspace, 'write', { path: 'a', content: 'kept' })
    expect(await containers(keeper)).toHaveLength(1)
    keeper.process.kill('SIGKILL')
    await keeper.exited
    await expect.poll(() => containers(keeper), soon).toEqual([])
    expect(readFileSync(join(workspace.root, 'a'), 'utf8')).toBe('kept')
    await keeper.stop()
  })

  it('runs an execution in there, and ends it with all that it started', async () => {
    const keeper = await open()
    const workspace = yard.spec()
    const inside = { workspace, cwd: '/workspace', env: { PATH: '/usr/bin:/bin' } }
    const ran = await keeper.run('/bin/sh', ['-c', 'echo from inside; pwd; exit 3'], inside)
    expect(ran.end).toMatchObject({ reason: 'exited', exitCode: 3 })
    expect(ran.output('stdout').toString()).toBe('from inside\n/workspace\n')
    const id = await keeper.launch('/bin/sh', ['-c', 'setsid sleep 600 & sleep 600'], inside)
    const cancel = { epoch: 1, id: newId(), type: 'cancel', payload: {} }
    await keeper.call('POST', `/executions/${id}/commands`, cancel)
    await keeper.progress(id)
    const { body } = await call(keeper, workspace, 'command', {
      command: countOf('[s]leep 600'),
    })
    expect(body.data.stdout).toBe('0\n')
    await keeper.stop()
  })

  it('says what is missing, over its own door', async () => {
    const keeper = await open()
    const workspace = yard.spec({ image: 'nobody/nothing:1' })
    const { body } = await call(keeper, workspace, 'read', { path: 'a' })
    expect(body.error).toMatchObject({
      code: 'workspace_not_running',
      message: expect.stringContaining('docker pull nobody/nothing:1'),
    })
    await keeper.stop()
  })

  it('grows by little for it', async () => {
    const keeper = await open()
    const own = () => {
      const rollup = readFileSync(`/proc/${keeper.process.pid}/smaps_rollup`, 'utf8')
      return Number(/^Pss_Anon:\s+(\d+)/m.exec(rollup)?.[1]) / 1024
    }
    await keeper.call('GET', '/')
    const before = own()
    const workspace = yard.spec()
    for (let calls = 0; calls < 20; calls += 1) await call(keeper, workspace, 'list', { path: '.' })
    expect(own() - before).toBeLessThan(15)
    await keeper.stop()
  })
})
