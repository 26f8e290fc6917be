import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readRecord } from '../../src/main/up/record.ts'
import { killChild } from '../support/kill-child.ts'
import { memoryOf } from '../support/memory.ts'
import { registerShell } from '../support/shell-agent.ts'
import type { ShellAgent } from '../support/shell-agent.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { sitDown } from '../support/terminal.ts'
import type { Person } from '../support/terminal.ts'

// Much at a time, through the running product: large pastes, many sizes, many who come and go, and a terminal process that is killed.

const patience = { timeout: 40_000, interval: 50 }
let box: Signalbox
let shell: ShellAgent
let sessionId: string

beforeAll(async () => {
  box = await startSignalbox({ env: { SHELL: '/bin/sh' } })
  shell = await registerShell(box)
  sessionId = (await shell.run('true')).sessionId
}, 60_000)
afterAll(async () => {
  await box?.stop()
})

const terminalPid = (): number =>
  readRecord(box.home)?.children.find(({ name }) => name === 'terminal')?.pid ?? 0
const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
/** Everything that the process has started and that still lives. */
const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)

const sizesTold = (person: Person) => person.told.filter(({ type }) => type === 'viewers').length

it('brings a paste of 100 MB whole into the program, in little memory', { timeout: 180_000 }, async () => {
  const person = await sitDown(box, { sessionId, window: 'shell' })
  const size = 100 * 1024 * 1024
  person.type(
    `stty raw -echo; printf 'go %s\\r\\n' ahead; head -c ${size} | sha256sum; stty sane; echo sane $((40+2))\r`,
  )
  await expect.poll(() => person.words, patience).toContain('go ahead')
  const piece = Buffer.from(Array.from({ length: 64 * 1024 }, (_, at) => 33 + ((at * 7) % 90)))
  const hash = createHash('sha256')
  const before = residentMb(terminalPid())
  let most = before
  const watching = setInterval(() => (most = Math.max(most, residentMb(terminalPid()))), 50)
  for (let sent = 0; sent < size; sent += piece.length) {
    hash.update(piece)
    person.socket.send(piece)
    // As a page does: no more than it can get rid of.
    while (person.socket.bufferedAmount > 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await expect.poll(() => person.words, { timeout: 150_000, interval: 100 }).toContain(hash.digest('hex'))
  clearInterval(watching)
  // From here on Enter is Enter again, for those who come next.
  await expect.poll(() => person.words, patience).toContain('sane 42')
  expect(most - before).toBeLessThan(80)
  // One piece that is too large is refused with a word.
  person.socket.send(Buffer.alloc(1024 * 1024 + 1, 'x'))
  await person.closed
  expect(person.told.at(-1)).toMatchObject({
    type: 'ended',
    reason: expect.stringContaining('1 MB'),
    canReturn: true,
  })
})

it(
  'keeps what is pasted behind what was typed before it, also an Escape and with much on the screen',
  { timeout: 120_000 },
  async () => {
    const person = await sitDown(box, { sessionId, window: 'shell' })
    person.type('(while :; do seq 1 500; sleep 0.2; done) & flood=$!\r')
    const typed = ['key', '\x1b', 'é', '\x1b[A']
    for (let round = 0; round < 12; round += 1) {
      const before = typed[round % typed.length] ?? ''
      const size = Buffer.byteLength(before) + 20_000 + 3
      const file = join(box.work, `order-${round}`)
      person.clear()
      const read = `stty raw -echo; printf 'ready %s\\r\\n' ${round}-; head -c ${size} > ${file}; stty sane`
      person.type(`${read}; printf 'read %s\\n' ${round}-\r`)
      await expect.poll(() => person.words, patience).toContain(`ready ${round}-`)
      for (const words of [before, 'p'.repeat(20_000), 'end']) person.type(words)
      const got = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
      await expect.poll(() => Buffer.byteLength(got()), patience).toBe(size)
      expect(got()).toBe(`${before}${'p'.repeat(20_000)}end`)
      await expect.poll(() => person.words, patience).toContain(`read ${round}-`)
    }
    person.type('kill $flood\r')
    await person.leave()
  },
)

it(
  'passes no more on than fits to a program that never reads, says so, and serves others meanwhile',
  { timeout: 120_000 },
  async () => {
    const { sessionId: deaf } = await shell.run('true')
    const person = await sitDown(box, { sessionId: deaf, window: 'shell' })
    const beside = await sitDown(box, { sessionId: deaf, window: 'shell' })
    const elsewhere = await sitDown(box, { sessionId, window: 'shell' })
    person.type("stty raw -echo; printf 'go %s\\r\\n' deaf; sleep 600\r")
    await expect.poll(() => person.words, patience).toContain('go deaf')
    const inTmux = () =>
      memoryOf(box)
        .filter(({ name }) => name === 'tmux')
        .reduce((sum, { ownMb }) => sum + ownMb, 0)
    const before = { tmux: inTmux(), terminal: residentMb(terminalPid()) }
    const piece = Buffer.alloc(64 * 1024, 'x')
    const paste = async () => {
      for (let sent = 0; sent < 60 * 1024 * 1024; sent += piece.length) {
        person.socket.send(piece)
        while (person.socket.bufferedAmount > 256 * 1024)
          await new Promise((resolve) => setTimeout(resolve, 2))
      }
    }
    const pasting = paste()
    elsewhere.type('echo meanwhile $((40+2))\r')
    await expect.poll(() => elsewhere.words, patience).toContain('meanwhile 42')
    await expect
      .poll(() => person.told.at(-1), patience)
      .toMatchObject({ type: 'refused', reason: expect.stringContaining('does not read') })
    await pasting
    expect(inTmux() - before.tmux).toBeLessThan(12)
    expect(residentMb(terminalPid()) - before.terminal).toBeLessThan(80)
    expect(beside.told.some(({ type }) => type === 'refused')).toBe(false)
    await Promise.all([person, beside, elsewhere].map((one) => one.leave()))
  },
)

it('settles on the last of a thousand sizes', async () => {
  const ada = await sitDown(box, { sessionId, window: 'shell' })
  const bob = await sitDown(box, { sessionId, window: 'shell' }, { cols: 500, rows: 200 })
  for (let count = 0; count < 1_000; count += 1)
    ada.say({ type: 'resize', cols: 40 + (count % 60), rows: 10 + (count % 30) })
  ada.say({ type: 'resize', cols: 123, rows: 45 })
  await expect.poll(() => bob.told.at(-1), patience).toMatchObject({ type: 'viewers', cols: 123, rows: 45 })
  expect(sizesTold(bob)).toBeLessThan(100)
  // Tmux takes its time to tell the program.
  const sizeThere = () => {
    ada.type('echo size is $(stty size)\r')
    return bob.words
  }
  await expect.poll(sizeThere, { timeout: 40_000, interval: 300 }).toContain('size is 45 123')
  await Promise.all([ada.leave(), bob.leave()])
})

it('lets somebody who does not draw hold up nobody else', async () => {
  const slow = await sitDown(box, { sessionId, window: 'shell' }, { isSlow: true })
  const quick = await sitDown(box, { sessionId, window: 'shell' })
  quick.type('seq 1 200000; echo all $((40+2))\r')
  await expect.poll(() => quick.words, patience).toContain('all 42')
  const atRest = slow.bytes
  expect(atRest).toBeLessThan(2 * 1024 * 1024)
  // Having drawn, it sees what there is now.
  slow.say({ type: 'ack', bytes: slow.bytes })
  await expect.poll(() => slow.words, patience).toContain('all 42')
  await Promise.all([slow.leave(), quick.leave()])
})

it('leaves nothing behind of 200 who came and went', { timeout: 120_000 }, async () => {
  const warm = await sitDown(box, { sessionId, window: 'shell' })
  await warm.leave()
  const pid = terminalPid()
  await expect.poll(() => childrenOf(pid), patience).toEqual([])
  const before = descriptors(pid)
  const visit = async (count: number) => {
    const person = await sitDown(box, { sessionId, window: count % 5 === 0 ? 'agent' : 'shell' })
    // Some leave as one should, some are torn away.
    if (count % 2 === 0) await person.leave()
    else person.socket.terminate()
  }
  for (let count = 0; count < 200; count += 5)
    await Promise.all([0, 1, 2, 3, 4].map((more) => visit(count + more)))
  await expect.poll(() => childrenOf(pid), patience).toEqual([])
  await expect.poll(() => descriptors(pid), patience).toBeLessThanOrEqual(before + 2)
  const after = await sitDown(box, { sessionId, window: 'shell' })
  expect(after.told[0]).toMatchObject({ viewers: 1 })
  await after.leave()
})

it('is back after it was killed, and nothing that ran in a terminal has noticed', async () => {
  const person = await sitDown(box, { sessionId, window: 'shell' })
  person.type('clear; (sleep 1; echo lived-on > lived.txt) & echo number $((40+2))\r')
  await expect.poll(() => person.words, patience).toContain('number 42')
  const running = await shell.run('sleep 2; echo done')
  const reader = await sitDown(box, { sessionId: running.sessionId })
  await killChild(box, 'terminal')
  await Promise.all([person.closed, reader.closed])
  const again = async () => {
    try {
      return await sitDown(box, { sessionId, window: 'shell' })
    } catch {
      return undefined
    }
  }
  let back: Person | undefined
  await expect.poll(async () => (back ??= await again()) !== undefined, patience).toBe(true)
  await expect.poll(() => back?.words, patience).toContain('number 42')
  back?.type('cat lived.txt\r')
  await expect.poll(() => readFileSync(join(box.work, 'lived.txt'), 'utf8'), patience).toContain('lived-on')
  const status = async () => (await box.call('GET', `/executions/${running.id}`)).body.data.status
  await expect.poll(status, patience).toBe('succeeded')
  await back?.leave()
})
