import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestSandbox, shellProgram } from '../../../test/support/sandbox.ts'
import type { TestSandbox } from '../../../test/support/sandbox.ts'
import { probeSandbox } from './probe.ts'

const { works, lacks } = await probeSandbox()
const missing = lacks.map(({ what, why }) => `${what}: ${why}`).join('; ')

describe.skipIf(!works || lacks.length > 0)(`limits of a sandbox${missing && ` (${missing})`}`, () => {
  let sandbox: TestSandbox
  beforeAll(async () => {
    sandbox = await openTestSandbox({ spec: { limits: { memoryMb: 512, cpus: 0.5, pids: 64 } } })
  }, 60_000)
  afterAll(() => sandbox?.close())

  it('leave no control group behind', async () => {
    const another = await openTestSandbox()
    const groups = () =>
      execFileSync('find', ['/sys/fs/cgroup', '-name', `signalbox-${process.pid}-*`])
        .toString()
        .split('\n')
    const before = groups().length
    await another.close()
    expect(groups().length).toBeLessThan(before)
  })

  it('kills what takes more memory than there is, and nothing else', async () => {
    const hungry = `node -e 'const all = []; for (;;) all.push(Buffer.alloc(10 << 20, 1))'`
    const { signal, exitCode } = await sandbox.run(`${hungry}; exit $?`)
    expect([signal, exitCode]).toEqual([null, 137])
    expect(await sandbox.boundary.health()).toMatchObject({ status: 'ok' })
    expect((await sandbox.run('echo still here')).out).toBe('still here\n')
  }, 60_000)

  it('lets nothing have more processes than it may, and lives on', async () => {
    const bomb = 'for n in $(seq 200); do sleep 30 >/dev/null 2>&1 & done; wait'
    const program = await sandbox.boundary.start(shellProgram(bomb), 'bomb')
    const said: string[] = []
    program.stdout.resume()
    program.stderr.on('data', (text: Buffer) => said.push(text.toString()))
    await expect.poll(() => said.join(''), { timeout: 20_000 }).toMatch(/fork|resource/i)
    expect(await program.end(0)).toBe(true)
    expect((await sandbox.run('echo still here')).out).toBe('still here\n')
  }, 60_000)

  it('has its part of a CPU', async () => {
    const spin = `node -e 'const until = Date.now() + 3000; while (Date.now() < until); console.log(process.cpuUsage().user + process.cpuUsage().system)'`
    const begun = performance.now()
    const { out } = await sandbox.run(spin)
    const share = Number(out) / 1000 / (performance.now() - begun)
    expect(share).toBeLessThan(0.65)
  }, 60_000)
})
