import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn as spawnPty } from '@lydell/node-pty'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isLive } from '#contract/execution.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { sitDown } from '../support/terminal.ts'

// People at terminals of sessions and workspaces, through the running product.

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-terminal-')))
const bin = join(folder, 'bin')
const fake = join(import.meta.dirname, '../support/claude-with-interface.ts')
const patience = { timeout: 20_000, interval: 50 }
let box: Signalbox
let capabilityId: string

beforeAll(async () => {
  mkdirSync(bin)
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\nexec '${process.execPath}' '${fake}' "$@"\n`)
  chmodSync(join(bin, 'claude'), 0o755)
  box = await startSignalbox({
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      SHELL: '/bin/bash',
      ANTHROPIC_API_KEY: 'a-key',
      CLAUDE_CONFIG_DIR: join(folder, 'claude'),
    },
  })
  const agent = await made('/agents', { preset: 'claude' })
  const { body } = await box.call('GET', `/agents/${agent.id}/capabilities`)
  capabilityId = body.data[0].id
}, 60_000)
afterAll(async () => {
  await box?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function made(path: string, body: object) {
  const { status, body: answer } = await box.call('POST', path, body)
  expect([path, status, answer.error]).toEqual([path, 201, undefined])
  return answer.data
}

/** A session in which this was said, and answered. */
async function begun(prompt: string): Promise<string> {
  const { id, sessionId } = await made('/executions', { capabilityId, prompt })
  const status = async () => (await box.call('GET', `/executions/${id}`)).body.data.status
  await expect.poll(async () => isLive(await status()), patience).toBe(false)
  return sessionId
}

it('lets two people type into the shell of one session, and both see the same', async () => {
  const sessionId = await begun('one')
  const ada = await sitDown(box, { sessionId, window: 'shell' })
  const bob = await sitDown(box, { sessionId, window: 'shell' }, { cols: 90, rows: 40 })
  expect(bob.told[0]).toMatchObject({
    type: 'ready',
    window: 'shell',
    readOnly: false,
    viewers: 2,
    cols: 90,
    rows: 30,
  })
  await expect.poll(() => ada.told.at(-1)).toEqual({ type: 'viewers', viewers: 2, cols: 90, rows: 30 })
  ada.type('echo from-ada-$((40+2)); pwd\r')
  await expect.poll(() => bob.words, patience).toContain('from-ada-42')
  bob.type('echo from-bob-$((40+2))\r')
  await expect.poll(() => ada.words, patience).toContain('from-bob-42')
  expect(ada.seen).toContain('signalbox-work-')
  await bob.leave()
  await expect.poll(() => ada.told.at(-1)).toEqual({ type: 'viewers', viewers: 1, cols: 100, rows: 30 })
  await expect
    .poll(
      () => {
        ada.type('stty size\r')
        return ada.words
      },
      { timeout: 20_000, interval: 500 },
    )
    .toContain('30 100')
  await ada.leave()

  // Nobody looks, and it goes on; whoever comes back sees what is there, and what has scrolled away.
  const eve = await sitDown(box, { sessionId, window: 'shell', readOnly: true })
  expect(eve.told[0]).toMatchObject({ readOnly: true })
  await expect.poll(() => eve.words, patience).toContain('from-ada-42')
  eve.type('echo from-eve-$((40+2))\r')
  const ann = await sitDown(box, { sessionId, window: 'shell' })
  ann.type('echo sec\\ret; seq 1 200\r')
  await expect.poll(() => eve.words, patience).toContain('\r\n200')
  expect(eve.seen).not.toContain('from-eve-42')
  const later = await sitDown(box, { sessionId, window: 'shell' })
  await expect.poll(() => later.words, patience).toContain('\r\n77\r\n')
  ann.type('exit\r')
  for (const one of [ann, eve, later]) {
    await one.closed
    expect(one.told.at(-1)).toEqual({ type: 'ended', reason: 'The shell has ended', canReturn: true })
  }
})

it('shows a session to read, its own interface once it is taken over, and the log again when it is handed back', async () => {
  const sessionId = await begun('tell me')
  const ada = await sitDown(box, { sessionId })
  expect(ada.told[0]).toMatchObject({ type: 'ready', window: 'agent', readOnly: true, takenOver: false })
  await expect.poll(() => ada.words, patience).toContain('tell me')
  await expect.poll(() => ada.words, patience).toContain('── succeeded ──')
  ada.type('not heard')
  ada.clear()
  const { status } = await box.call('POST', `/sessions/${sessionId}/takeover`)
  expect(status).toBe(200)
  await expect
    .poll(() => ada.told.at(-1), patience)
    .toMatchObject({ type: 'ready', readOnly: false, takenOver: true })
  await expect.poll(() => ada.words, patience).toContain('This is')
  ada.type('hello there\r')
  await expect.poll(() => ada.words, patience).toContain(': hello there')
  const bob = await sitDown(box, { sessionId })
  expect(bob.told[0]).toMatchObject({ type: 'ready', readOnly: false, takenOver: true, viewers: 2 })
  await bob.leave()
  await box.call('POST', `/sessions/${sessionId}/handback`)
  await expect
    .poll(() => ada.told.at(-1), patience)
    .toMatchObject({ type: 'ready', readOnly: true, takenOver: false })
  ada.clear()
  ada.say({ type: 'repaint' })
  await expect.poll(() => ada.words, patience).toContain('hello there')
  // It can be taken over as often as one likes, and whoever stayed sees it each time, and is heard from the first key on.
  ada.clear()
  expect((await box.call('POST', `/sessions/${sessionId}/takeover`)).status).toBe(200)
  await expect
    .poll(() => ada.told.at(-1), patience)
    .toMatchObject({ type: 'ready', readOnly: false, takenOver: true })
  ada.type('once more\r')
  await expect.poll(() => ada.words, patience).toContain(': once more')
  await ada.leave()
})

it('keeps a shell for a workspace that no session is in', async () => {
  const root = join(box.work, 'lone')
  mkdirSync(root)
  const { id: workspaceId } = await made('/workspaces', { driver: 'folder', root })
  const ada = await sitDown(box, { workspaceId, window: 'shell' })
  ada.type('touch made-$((40+2)); ls\r')
  await expect.poll(() => existsSync(join(root, 'made-42')), patience).toBe(true)
  // It has nothing of what Signalbox knows.
  ada.type('clear; echo secrets: $(env | grep -c -e ANTHROPIC -e DATABASE -e SIGNALBOX_HOME)\r')
  await expect.poll(() => ada.words, patience).toContain('secrets: 0')
  const { status } = await box.call('DELETE', `/workspaces/${workspaceId}`)
  expect(status).toBe(200)
  await ada.closed
  expect(ada.told.at(-1)).toMatchObject({ type: 'ended' })
})

it('puts a session on the terminal of the command line, until somebody leaves', async () => {
  const sessionId = await begun('hello')
  const program = join(import.meta.dirname, '../../src/main/signalbox.ts')
  const attach = (...more: string[]) => {
    const pty = spawnPty(process.execPath, [program, 'attach', sessionId, ...more], {
      cols: 90,
      rows: 25,
      env: { PATH: process.env['PATH'], HOME: box.home, SIGNALBOX_HOME: box.home },
    })
    const here = {
      pty,
      seen: '',
      code: new Promise<number>((done) => pty.onExit(({ exitCode }) => done(exitCode))),
    }
    pty.onData((text) => (here.seen += text))
    return here
  }
  const shell = attach('--shell')
  await expect.poll(() => shell.seen, patience).toContain('Ctrl-] leaves')
  await expect.poll(() => shell.seen, patience).toMatch(/[#$] /)
  shell.pty.write('echo size-is-$(stty size | tr " " x)\r')
  await expect.poll(() => shell.seen, patience).toContain('size-is-25x90')
  shell.pty.resize(70, 20)
  await new Promise((resolve) => setTimeout(resolve, 300))
  shell.pty.write('echo now-$(stty size | tr " " x)\r')
  await expect.poll(() => shell.seen, patience).toContain('now-20x70')
  shell.pty.write('\x1d')
  expect(await shell.code).toBe(0)
  expect(shell.seen).toContain('it goes on without you')

  const reader = attach()
  await expect.poll(() => reader.seen, patience).toContain('── succeeded ──')
  expect(reader.seen).toContain('This is to be read')
  reader.pty.write('\x1d')
  expect(await reader.code).toBe(0)
})
