import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textWidth } from '#lib/text-width.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const program = join(import.meta.dirname, '../../src/main/signalbox.ts')
const empty = mkdtempSync(join(tmpdir(), 'signalbox-nowhere-'))
afterAll(() => rmSync(empty, { recursive: true, force: true }))

/** Runs the command as a person would, in a home and folder of its own. */
async function run(args: string[], env: Record<string, string> = {}, home = empty) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, SIGNALBOX_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

describe('without a Signalbox', () => {
  it('helps a newcomer', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    for (const word of ['up', 'doctor', 'ls', 'Examples:', 'SIGNALBOX_URL']) expect(stdout).toContain(word)
  })

  it('says how to start one', async () => {
    const told = 'Signalbox does not run here. Start it with npm start'
    expect(await run(['ls'])).toEqual({ code: 1, stdout: '', stderr: `${told}\n` })
    const { stderr } = await run(['ls', '--json'])
    expect(JSON.parse(stderr)).toEqual({ error: { message: told } })
    const nobody = { SIGNALBOX_URL: `http://127.0.0.1:${await freePort()}`, SIGNALBOX_TOKEN: 't' }
    expect((await run(['ls'], nobody)).stderr).toContain(told)
  })

  it('ends with 78 and every mistake when the configuration is wrong', async () => {
    const home = mkdtempSync(join(tmpdir(), 'signalbox-wrong-'))
    writeFileSync(join(home, 'signalbox.config.yaml'), 'server:\n  prot: 1\n')
    const { code, stderr, stdout } = await run(['up'], { PORT: 'x' }, home)
    rmSync(home, { recursive: true })
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
    expect(stderr).toMatch(
      /signalbox\.config\.yaml:2:3: server\.prot is not a known key; did you mean port\?\n {2}PORT: must be/,
    )
  })

  it('refuses what it does not know', async () => {
    expect(await run(['levitate'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('unknown command'),
    })
    const { stderr } = await run(['ls', 'tasks', '--status', 'asleep'])
    expect(stderr).toContain('Allowed choices are todo, in_progress, blocked, done, cancelled')
  })

  it('examines the machine', async () => {
    const { code, stdout } = await run(['doctor', '--json'], { PORT: '0' })
    const { healthy, findings } = JSON.parse(stdout)
    expect({ code, healthy }).toEqual({ code: 0, healthy: true })
    const names = [
      'Configuration',
      'Postgres',
      'Node',
      'Home',
      'Disk',
      'Port',
      'git',
      'tmux',
      'Docker',
      'bubblewrap',
    ]
    expect(findings.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(names))

    const unreachable = { PORT: '0', DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:9/box' }
    const sick = await run(['doctor'], unreachable)
    expect(sick.code).toBe(1)
    expect(sick.stdout).toMatch(/✗ missing\s+Postgres .*DATABASE_URL is not reachable/)
    expect(sick.stdout).not.toContain('hunter2')
    expect(await run(['doctor'], { PORT: 'x' })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ missing\s+Configuration .*PORT:\s+must be/),
    })
  })
})

describe('with one', () => {
  let box: Signalbox
  const titles = Array.from({ length: 501 }, (_, n) => `Task number ${n + 1}`)
  beforeAll(async () => {
    box = await startSignalbox()
    for (const title of titles) await box.call('POST', '/tasks', { title })
    await box.call('POST', '/tasks', {
      title: '日本語のタイトル 👨‍👩‍👧‍👦 that is so long that it cannot fit',
      status: 'blocked',
      priority: 'critical',
    })
  }, 120_000)
  afterAll(() => box?.stop())
  const ls = (args: string[], env?: Record<string, string>) => run(['ls', ...args], env, box.home)

  const inTerminal = (setup: string) =>
    spawnSync(
      'script',
      ['-qec', `stty cols 50; ${setup} "${process.execPath}" "${program}" ls --status blocked`, '/dev/null'],
      {
        env: { PATH: process.env['PATH'], HOME: box.home, SIGNALBOX_HOME: box.home, TERM: 'xterm' },
        encoding: 'utf8',
      },
    ).stdout

  it('lists every task, however many pages there are', async () => {
    const { code, stdout } = await ls(['tasks'])
    const lines = stdout.trimEnd().split('\n')
    expect(code).toBe(0)
    expect(lines).toHaveLength(503)
    expect(lines[0]).toMatch(/^STATUS\s+PRIORITY\s+TITLE\s+ID\s+AGE$/)
    for (const title of titles) expect(stdout).toContain(title)
    expect(stdout).not.toContain('\u001b')
  })

  it('filters, and speaks JSON', async () => {
    const { stdout } = await ls(['--status', 'blocked', '--json'])
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ status: 'blocked', priority: 'critical' })])
    expect(JSON.parse((await ls(['tasks', '--q', 'number 501', '--json'])).stdout)).toHaveLength(1)
    expect((await ls(['tasks', '--q', 'nothing like it'])).stdout).toBe('No task fits.\n')
    expect(JSON.parse((await ls(['agents', '--json'])).stdout)).toMatchObject([
      { name: 'Chat', builtin: true },
    ])
  })

  it('says which token was refused, and not what it is', async () => {
    const { code, stderr } = await ls([], { SIGNALBOX_TOKEN: 'hunter2hunter2' })
    expect(code).toBe(1)
    expect(stderr).toBe(`The token from SIGNALBOX_TOKEN is not valid at ${box.url}\n`)
  })

  it('is silent when its reader has read enough', () => {
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', `"${process.execPath}" "${program}" ls --json | head -c 1; wait`],
      {
        env: { PATH: process.env['PATH'], HOME: box.home, SIGNALBOX_HOME: box.home },
        encoding: 'utf8',
      },
    )
    expect({ stdout, stderr }).toEqual({ stdout: '[', stderr: '' })
  })

  it('fits the terminal, in colour unless told otherwise', () => {
    const coloured = inTerminal('')
    expect(coloured).toContain('\u001b[')
    const plain = inTerminal('NO_COLOR=1')
    expect(plain).not.toContain('\u001b[')
    expect(stripVTControlCharacters(coloured)).toBe(plain)
    for (const line of plain.trimEnd().split(/\r?\n/)) expect(textWidth(line)).toBeLessThanOrEqual(50)
  })

  it('finds its own port taken by itself', async () => {
    const { stdout } = await run(['doctor'], { PORT: new URL(box.url).port }, box.home)
    expect(stdout).toContain(`Signalbox runs at ${box.url}`)
  })

  it('writes its log without the token', async () => {
    await box.call('PATCH', '/settings', { logLevel: 'trace' })
    await fetch(`${box.url}/api/v1/tasks?token=${box.token}`, {
      headers: { authorization: `Bearer ${box.token}` },
    })
    await box.call('PATCH', '/settings', { logLevel: null })
    const written = spawnSync('grep', ['-rc', 'requestId', join(box.home, 'logs')], {
      encoding: 'utf8',
    }).stdout
    expect(written).toMatch(/signalbox-web\.\d{4}-\d\d-\d\d\.log:[1-9]/)
    expect(spawnSync('grep', ['-rl', box.token, join(box.home, 'logs')], { encoding: 'utf8' }).stdout).toBe(
      '',
    )
    expect(box.log()).not.toContain(box.token)
  })
})
