import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { findContainers } from '#boundaries/docker/orphans.ts'
import type { Boundary } from '#boundaries/port.ts'
import type { CommandAnswer } from '#contract/workspace-tool.ts'
import { Walls } from '#keeper/walls.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { countOf, openYard, runInside } from '../support/container.ts'
import type { Yard } from '../support/container.ts'
import { noEngine } from '../support/docker.ts'

describe.skipIf(noEngine)('the limits of a container bite', () => {
  let yard: Yard
  let boundary: Boundary
  beforeAll(async () => {
    yard = await openYard()
    boundary = await yard.open()
  }, 120_000)
  afterAll(() => yard?.close())
  const node = (script: string) => `node -e '${script}'`

  it('memory: a program that takes 600 MB is killed at 512 MB and told why, and its neighbours live on', async () => {
    const neighbour = await yard.open()
    // Buffers that are written to are memory that is really used.
    const greedy = node(
      'const all = []; for (let mb = 10; mb <= 600; mb += 10) { all.push(Buffer.alloc(10 << 20, 1)); console.log(mb) }',
    )
    const { stdout, stderr, exitCode, signal } = await runInside(boundary, `exec ${greedy}`)
    expect([exitCode, signal]).toEqual([null, 'SIGKILL'])
    const reached = Number(stdout.trim().split('\n').at(-1))
    expect(reached).toBeGreaterThan(300)
    expect(reached).toBeLessThan(512)
    expect(stderr).toBe('Killed: the workspace has 512 MB of memory, and needed more.\n')
    const modest = node(
      'const all = []; for (let mb = 0; mb < 300; mb += 10) all.push(Buffer.alloc(10 << 20, 1)); console.log(all.length)',
    )
    expect(await runInside(boundary, modest)).toMatchObject({ stdout: '30\n', exitCode: 0 })
    expect(await runInside(neighbour, modest)).toMatchObject({ stdout: '30\n', exitCode: 0 })
    await neighbour.close(0)
  })

  it('memory: no swap is lent beyond it', async () => {
    const { stdout } = await runInside(
      boundary,
      'cat /sys/fs/cgroup/memory/memory.memsw.limit_in_bytes /sys/fs/cgroup/memory.swap.max 2>/dev/null',
    )
    expect(['536870912\n', '0\n']).toContain(stdout)
  })

  it('cpu: two busy loops together get half a core', async () => {
    const { State } = await yard.asker.ask<{ State: { Pid: number } }>(
      'GET',
      `/containers/${(await findContainers(yard.home))[0]?.id}/json`,
    )
    prefer(State.Pid)
    // The clock of the group itself, read from inside; the loops never yield, so that the quota alone holds them.
    const loop = 'node -e "for (const end = Date.now() + 7000; Date.now() < end; );"'
    const measure = node(`
      const { readFileSync } = require("fs");
      const used = () => { try { return Number(readFileSync("/sys/fs/cgroup/cpuacct/cpuacct.usage", "utf8")) / 1e6 }
        catch { return Number(/usage_usec (\\d+)/.exec(readFileSync("/sys/fs/cgroup/cpu.stat", "utf8"))[1]) / 1e3 } };
      setTimeout(() => { const [cpu, wall] = [used(), performance.now()];
        setTimeout(() => console.log((used() - cpu) / (performance.now() - wall)), 5000) }, 1000)`)
    const { stdout } = await runInside(boundary, `${loop} & ${loop} & ${measure}; wait`)
    expect(Number(stdout)).toBeGreaterThan(0.45)
    expect(Number(stdout)).toBeLessThan(0.55)
  })

  it('pids: a loop that forks ends at 128, and what was there goes on', async () => {
    const { stderr } = await runInside(
      boundary,
      'i=0; while [ $i -lt 300 ]; do sleep 5 & i=$((i + 1)); done; exit 0',
    )
    expect(stderr).toMatch(/[Cc]annot fork|Resource temporarily unavailable/)
    await expect
      .poll(async () => (await runInside(boundary, 'echo there')).stdout, { timeout: 20_000 })
      .toBe('there\n')
    const { stdout } = await runInside(
      boundary,
      'cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null',
    )
    expect(stdout).toBe('128\n')
  })

  it('network: there is none, by any address of this machine, and no names', async () => {
    const server = createServer((connection) => connection.destroy())
    await new Promise<void>((resolve) => server.listen(0, '::', resolve))
    const { port } = server.address() as AddressInfo
    const addresses = Object.values(networkInterfaces()).flatMap(
      (all) => all?.map(({ address }) => address) ?? [],
    )
    const tried = node(`
      const net = require("net");
      const to = (host, port) => new Promise((resolve) => net.connect({ host, port, timeout: 3000 })
        .on("connect", () => resolve(host + " open")).on("timeout", () => resolve(host + " silent"))
        .on("error", (error) => resolve(error.code)));
      Promise.all([...${JSON.stringify([...addresses, '172.17.0.1', '1.1.1.1'])}.map((host) => to(host, ${port})), to("example.com", 80)])
        .then((all) => console.log(JSON.stringify([...new Set(all)])))`)
    const { stdout } = await runInside(boundary, tried)
    server.close()
    for (const outcome of JSON.parse(stdout))
      expect(['ECONNREFUSED', 'ENETUNREACH', 'EAI_AGAIN', 'ENOTFOUND', 'EADDRNOTAVAIL', 'EINVAL']).toContain(
        outcome,
      )
    expect(JSON.parse(stdout)).toContain('ENETUNREACH')
  })

  it('files: of this machine only what was mounted, the system read-only, and no more rights to be had', async () => {
    const secret = join(yard.folder, 'secret.txt')
    writeFileSync(secret, 'nobody else', { mode: 0o644 })
    const script = `
      cat ${secret} /etc/shadow /proc/1/root${secret} /proc/sys/kernel/hostname/../../../..${secret} 2>/dev/null
      for at in / /etc /usr/bin /opt/signalbox /run/signalbox /proc/sys/kernel; do touch $at/mine 2>/dev/null && echo $at; done
      ls /dev | grep -E '^(sd|vd|nvme|mem|kmsg|fuse)'
      grep -cE '^[^ ]+ / [^ ]+ ro[, ]' /proc/mounts
      grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t ' ' '
      echo end`
    const { stdout } = await runInside(boundary, script)
    expect(stdout.split('\n')).toEqual([
      '1',
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'NoNewPrivs: 1',
      'Seccomp: 2',
      'end',
      '',
    ])
    expect(readFileSync(secret, 'utf8')).toBe('nobody else')
  })

  it('disk: what is not the workspace is memory, and bounded', async () => {
    const { stdout } = await runInside(
      boundary,
      'dd if=/dev/zero of=/tmp/big bs=1M count=100 2>/dev/null; stat -c %s /tmp/big; rm /tmp/big',
    )
    expect(Number(stdout)).toBeLessThanOrEqual(64 * 1024 ** 2)
  })

  const command = (walls: Pick<Boundary, 'call'>, text: string, timeout = 30_000) =>
    walls.call('command', { command: text, timeout }, AbortSignal.timeout(60_000))

  it('time: a command that never ends is ended with all it has started', async () => {
    const busy = 'while true; do :; done & while true; do :; done'
    expect(await command(boundary, busy, 1_000)).toMatchObject({ timedOut: true })
    const { stdout } = await runInside(boundary, countOf('[w]hile true'))
    expect(stdout).toBe('0\n')
  })

  it('memory: a command of the tools is told why it was killed', async () => {
    const greedy = `exec ${node('const all = []; for (;;) all.push(Buffer.alloc(10 << 20, 1))')}`
    const { stderr } = (await command(boundary, greedy)) as CommandAnswer
    expect(stderr).toContain('Killed: the workspace has 512 MB of memory, and needed more.')
  })

  it('a container that is killed under a call: the call says so, and the next is in a new one with the same files', async () => {
    const spec = yard.spec()
    const walls = new Walls({
      none: boundary,
      openFolder: () => {
        throw new Error('there is none')
      },
      open: {
        docker: () => Promise.resolve((workspace) => yard.open(workspace)),
        sandbox: () => Promise.reject(new Error('there is none')),
      },
      log: () => undefined,
    })
    walls.use(spec)
    await walls.call('write', { path: 'kept.txt', content: 'kept' }, AbortSignal.timeout(60_000))
    const under = command(walls, 'echo begun > begun.txt; sleep 600').catch((error: unknown) => error)
    await expect.poll(() => existsSync(join(spec.root, 'begun.txt')), { timeout: 20_000 }).toBe(true)
    const found = (await findContainers(yard.home)).find(({ workspaceId }) => workspaceId === spec.id)
    await yard.asker.ask('POST', `/containers/${found?.id}/kill`)
    const refused = await under
    expect(refused).toBeInstanceOf(ToolRefused)
    expect(refused).toMatchObject({
      code: 'workspace_not_running',
      message: expect.stringMatching(/Try again/),
    })
    expect(await command(walls, 'cat kept.txt')).toMatchObject({ stdout: 'kept', exitCode: 0 })
    expect(await walls.close(0)).toBe(true)
  })
})

/** A busy neighbour on this machine must not spoil the measure: the container goes before everybody, up to its limit. */
function prefer(pid: number): void {
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n')
  const [, path = '/'] =
    groups.map((line) => /^\d+:(?:[^:]*\bcpu\b[^:]*)?:(.+)$/.exec(line)).find(Boolean) ?? []
  for (let at = path; at !== '/'; at = dirname(at))
    for (const [file, most] of [
      [`/sys/fs/cgroup/cpu${at}/cpu.shares`, '262144'],
      [`/sys/fs/cgroup${at}/cpu.weight`, '10000'],
    ] as const)
      if (existsSync(file)) {
        const before = readFileSync(file, 'utf8')
        writeFileSync(file, most)
        onTestFinished(() => writeFileSync(file, before))
      }
}
