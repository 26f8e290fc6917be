import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestSandbox, shellProgram } from '../../../test/support/sandbox.ts'
import type { TestSandbox } from '../../../test/support/sandbox.ts'
import type { CommandAnswer, ToolName } from '#contract/workspace-tool.ts'
import { commandLineOf, listPids } from '#lib/process-list.ts'
import { openLimits } from './limits.ts'
import { probeSandbox } from './probe.ts'

const { works, reason } = await probeSandbox()

describe.skipIf(!works)(`a sandbox${works ? '' : ` (${reason})`}`, () => {
  let sandbox: TestSandbox
  beforeAll(async () => {
    sandbox = await openTestSandbox()
  }, 60_000)
  afterAll(() => sandbox?.close())

  it('runs programs in the workspace, which they can write', async () => {
    const { out, exitCode } = await sandbox.run('pwd; echo hello > made; cat made')
    expect([out, exitCode]).toEqual(['/workspace\nhello\n', 0])
    expect(readFileSync(join(sandbox.root, 'made'), 'utf8')).toBe('hello\n')
  })

  it('has no rights, gets none, and is nobody', async () => {
    const { out } = await sandbox.run('id -u; grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status')
    expect(out.split('\n')[0]).not.toBe('0')
    for (const line of out.split('\n').filter((text) => text.startsWith('Cap')))
      expect(line).toMatch(/:\s0{16}$/)
    expect(out).toMatch(/NoNewPrivs:\t1\nSeccomp:\t2/)
  })

  it.each([
    ['another user namespace', 'unshare --user true'],
    ['a mount', 'mount -t tmpfs none /tmp'],
    [
      'a look into another process',
      'strace true 2>&1 || node -e "process.exit(1)"; cat /proc/1/mem > /dev/null',
    ],
  ])('is refused %s', async (_, command) => {
    expect((await sandbox.run(command)).exitCode).not.toBe(0)
  })

  it.each([
    ['the keys in the home', () => join(sandbox.base, 'home')],
    ['the folder of sockets', () => join(sandbox.base, 's')],
    ['files of other workspaces', () => sandbox.base],
    ['what root has', () => '/root'],
    ['the passwords of the machine', () => '/etc/shadow'],
    ['settings of git on the machine', () => '/etc/gitconfig'],
    ['the socket of a container engine', () => '/var/run/docker.sock'],
    ['the variables of the kernel', () => '/sys/kernel'],
  ])('does not see %s', async (_, place) => {
    expect((await sandbox.run(`ls -A '${place()}' | grep .`)).out).toBe('')
  })

  it(
    'keeps long outputs on the disk, in a folder of its own that goes with it',
    { timeout: 60_000 },
    async () => {
      const noisy = await openTestSandbox()
      const { boundary, spec } = noisy
      try {
        const never = new AbortController().signal
        const call = (tool: ToolName, input: object) => boundary.call(tool, input, never)
        const ran = (await call('command', { command: 'head -c 3000000 /dev/zero' })) as CommandAnswer
        expect(ran.stdoutRest).toMatchObject({ bytes: 3_000_000, isWhole: true })
        const used = await call('command', { command: 'find /tmp -type f; du -s ~/.signalbox' })
        expect(used).toMatchObject({
          stdout: expect.stringMatching(/^\d{4,}\t\/home\/agent\/\.signalbox\n$/),
        })
        expect(statSync(join(spec.homes, '.signalbox')).mode & 0o777).toBe(0o700)
        expect(await boundary.close(0)).toBe(true)
        expect(readdirSync(spec.homes)).toEqual([])
      } finally {
        await noisy.close()
      }
    },
  )

  it('has temporary files of its own', async () => {
    expect((await sandbox.run(`ls -A /tmp /var/tmp`)).out).toMatch(
      /^\/tmp:\n(\.signalbox\n)?\n\/var\/tmp:\n$/,
    )
  })

  it('sees no processes but its own', async () => {
    const { out } = await sandbox.run('cat /proc/[0-9]*/cmdline | tr "\\0" " "')
    expect(out).toContain('host.mjs')
    expect(out).not.toContain('vitest')
  })

  it('reaches nothing on the machine, neither by address nor by an abstract socket', async () => {
    const secret = `\0signalbox-test-${process.pid}`
    const sockets = createServer((connection) => connection.end('reached'))
    await new Promise<void>((resolve) => sockets.listen({ path: secret }, () => resolve()))
    const ports = createServer((connection) => connection.end('reached'))
    await new Promise<void>((resolve) => ports.listen(0, '127.0.0.1', () => resolve()))
    const { port } = ports.address() as { port: number }
    const dial = (where: object) =>
      `node -e 'require("net").connect(${JSON.stringify(where)}).on("error", (e) => { console.log(e.code); process.exit(3) }).on("data", () => process.exit(0))'`
    try {
      const byName = await sandbox.run(dial({ path: `@@${secret.slice(1)}` }).replace('"@@', '"\\0'))
      const byPort = await sandbox.run(dial({ port, host: '127.0.0.1' }))
      expect([byName.out, byPort.out]).toEqual(['ECONNREFUSED\n', 'ECONNREFUSED\n'])
    } finally {
      sockets.close()
      ports.close()
    }
  })

  it('has loopback of its own, and connections to its ports can be had', async () => {
    const server = await sandbox.boundary.start(
      shellProgram(
        `exec node -e 'require("net").createServer((c) => { c.end("from inside") }).listen(8010, "127.0.0.1", () => console.log("up"))'`,
      ),
      'server',
    )
    await new Promise((resolve) => server.stdout.once('data', resolve))
    const connection = await sandbox.boundary.connect(8010)
    let said = ''
    for await (const piece of connection as AsyncIterable<Buffer>) said += piece.toString()
    expect(said).toBe('from inside')
    await expect(sandbox.boundary.connect(8011)).rejects.toThrow(/Nothing listens/)
    expect(await server.end(0)).toBe(true)
  })

  it('holds nothing open that whoever started it had open', async () => {
    const { out } = await sandbox.run('ls -l /proc/self/fd /proc/1/fd /proc/2/fd | grep -e "->"')
    const places = out.split('\n').flatMap((line) => / -> (\/.*)$/.exec(line)?.[1] ?? [])
    for (const place of places) expect(place).toMatch(/^\/(dev\/null|tmp\/|proc\/|opt\/signalbox|workspace)/)
  })

  it('says what the machine calls a program in it', async () => {
    const program = await sandbox.boundary.start(shellProgram('exec sleep 1001'), 'named')
    await expect.poll(() => commandLineOf(program.pid), { timeout: 20_000 }).toBe('sleep 1001')
    expect(await program.end(0)).toBe(true)
  })

  it('ends a program with all that came of it', async () => {
    const program = await sandbox.boundary.start(
      shellProgram('setsid sleep 1000 & setsid -f sh -c "sleep 1000"; echo begun; wait'),
      'tree',
    )
    await new Promise((resolve) => program.stdout.once('data', resolve))
    expect(await program.end(0)).toBe(true)
    expect((await sandbox.run('cat /proc/[0-9]*/cmdline | tr "\\0" " "')).out).not.toContain('sleep 1000')
  })
})

describe.skipIf(!works)('the death of a sandbox', () => {
  it.each([
    ['of its host', 'kill -9 2'],
    ['of its first process', 'node -e "process.kill(1, 9)"; kill -9 -1'],
  ])('%s is told, and nothing is left', async (_, how) => {
    const sandbox = await openTestSandbox()
    try {
      const program = await sandbox.boundary.start(shellProgram('sleep 1000 & echo begun; wait'), 'one')
      await new Promise((resolve) => program.stdout.once('data', resolve))
      void sandbox.run(how).catch(() => undefined)
      expect(await sandbox.boundary.gone).toMatch(/ended|hung up|killed/)
      expect(await program.exited).toMatchObject({ exitCode: null })
      expect(await sandbox.boundary.close(0)).toBe(true)
      await expect(sandbox.boundary.health()).rejects.toThrow(/put up anew/)
    } finally {
      await sandbox.close()
    }
  })

  it('is that of whoever holds it, and nothing that was open there is open inside', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holder-'))
    const script = join(folder, 'holder.ts')
    writeFileSync(
      script,
      `import { openTestSandbox, shellProgram } from ${JSON.stringify(join(import.meta.dirname, '../../../test/support/sandbox.ts'))}
       const sandbox = await openTestSandbox()
       await sandbox.boundary.start(shellProgram('sleep 1000'), 'one')
       const { out } = await sandbox.run('ls -l /proc/self/fd /proc/1/fd /proc/2/fd')
       process.stdout.write(JSON.stringify({ base: sandbox.base, out }) + '\\n')
       setInterval(() => undefined, 1000)`,
    )
    const left = openSync(folder, 'r')
    const child = spawn(process.execPath, [script], {
      cwd: join(import.meta.dirname, '../../..'),
      // As if whoever started us had left a folder open.
      stdio: ['ignore', 'pipe', 'inherit', ...Array.from({ length: 20 }, () => 'ignore' as const), left],
    })
    try {
      const said = await new Promise<string>((resolve) =>
        child.stdout?.once('data', (text: Buffer) => resolve(text.toString())),
      )
      const { base, out } = JSON.parse(said)
      expect(out).not.toContain(folder)
      expect(holders(base)).not.toEqual([])
      child.kill('SIGKILL')
      await expect.poll(() => holders(base), { timeout: 20_000 }).toEqual([])
      // Control groups do not end by themselves; the next one takes away what it finds.
      const groups = async () => {
        await openLimits({ memoryMb: 64, cpus: 1, pids: 32 }).close()
        return execFileSync('find', ['/sys/fs/cgroup', '-name', `signalbox-${child.pid}-*`]).toString()
      }
      await expect.poll(groups, { timeout: 20_000 }).toBe('')
      rmSync(base, { recursive: true, force: true })
    } finally {
      closeSync(left)
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** The processes that were told of this folder. */
const holders = (base: string): string[] =>
  listPids()
    .map(commandLineOf)
    .filter((line) => line.includes(`${base}/root`))
