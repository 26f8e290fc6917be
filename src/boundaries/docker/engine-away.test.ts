import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openYard, runInside } from '../../../test/support/container.ts'
import type { Yard } from '../../../test/support/container.ts'
import { noEngine, ownEngine } from '../../../test/support/docker.ts'
import { processesIn, startEngine, stopEngine } from '../../../test/support/engine.ts'
import { endProcess } from '#lib/process-end.ts'
import { NotStarted } from '#lib/program.ts'
import { findContainers } from './orphans.ts'

const soon = { timeout: 20_000, interval: 50 }

describe.skipIf(noEngine)('an engine that goes away under a container', { timeout: 60_000 }, () => {
  let folder: string
  let yard: Yard
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'engine-'))
    yard = await openYard(await ownEngine(folder))
  }, 120_000)
  afterAll(async () => {
    await startEngine(folder).catch(() => undefined)
    await yard?.close()
    await stopEngine(folder)
  }, 120_000)
  const killEngine = async () => {
    for (const one of processesIn(folder)) await endProcess(one, [{ signal: 'SIGKILL', patienceMs: 10_000 }])
  }

  it('takes nothing with it when it is killed: the work goes on, and can be ended without it', async () => {
    const boundary = await yard.open()
    let reason: string | undefined
    void boundary.gone.then((told) => (reason = told))
    await killEngine()
    expect((await runInside(boundary, 'echo still here')).stdout).toBe('still here\n')
    expect(reason).toBeUndefined()
    const refused = await yard.open().catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(NotStarted)
    expect(String(refused)).toMatch(/Docker engine at .* does not answer: .*systemctl start docker/)
    expect(await boundary.close(0)).toBe(true)
    await expect(runInside(boundary, 'true')).rejects.toThrow(NotStarted)
    await startEngine(folder)
    await expect.poll(() => findContainers(yard.home), soon).toEqual([])
  })

  it('is not waited for when it hangs', async () => {
    const boundary = await yard.open()
    const [dockerd] = processesIn(folder)
    process.kill(dockerd?.pid ?? 0, 'SIGSTOP')
    try {
      expect(await boundary.close(0)).toBe(true)
      await expect(runInside(boundary, 'true')).rejects.toThrow(NotStarted)
    } finally {
      process.kill(dockerd?.pid ?? 0, 'SIGCONT')
    }
    await expect.poll(() => findContainers(yard.home), soon).toEqual([])
  })

  it('tells that the walls are down when it was stopped, and new ones can be put up when it is back', async () => {
    const spec = yard.spec()
    const boundary = await yard.open(spec)
    for (const one of processesIn(folder)) await endProcess(one, [{ signal: 'SIGTERM', patienceMs: 30_000 }])
    expect(await boundary.gone).toMatch(/its (container|host)/)
    await startEngine(folder)
    const again = await yard.open(spec)
    expect((await runInside(again, 'echo again')).stdout).toBe('again\n')
    expect(await again.close(0)).toBe(true)
  })
})
