import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { identify } from '#lib/process-identity.ts'
import type { Lock } from './lock.ts'

const program = join(import.meta.dirname, 'fixtures/take-lock.ts')

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return home
}

async function newRival(home: string) {
  const child = spawn(process.execPath, [program, home], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  await lines.next()
  const kill = async () => {
    child.kill('SIGKILL')
    if (child.signalCode === null) await once(child, 'exit')
  }
  onTestFinished(kill)
  return {
    pid: child.pid ?? 0,
    kill,
    take: async (): Promise<Lock> => {
      child.stdin.write('go\n')
      return JSON.parse(String((await lines.next()).value))
    },
  }
}

it(
  'is taken by exactly one of five that want it at the same instant, again and again',
  { timeout: 60_000 },
  async () => {
    const home = newHome()
    for (let round = 1; round <= 6; round++) {
      const rivals = await Promise.all([1, 2, 3, 4, 5].map(() => newRival(home)))
      const locks = await Promise.all(rivals.map((rival) => rival.take()))
      const winners = rivals.filter((_, index) => locks[index]?.taken)
      expect(winners).toHaveLength(1)
      const told = locks.flatMap((lock) => (lock.taken ? [] : [lock.holder.pid]))
      expect(told).toEqual(Array(4).fill(winners[0]?.pid))
      // The next round finds the lock of a killed holder, which all five want to take over.
      await Promise.all(rivals.map((rival) => rival.kill()))
    }
    expect(readdirSync(home)).toEqual(['up.lock.6'])
  },
)

it.each([
  ['its holder is dead', { pid: 2 ** 22 + 1, startTime: '1', bootId: 'this' }],
  ['the pid belongs to another process now', { pid: process.pid, startTime: '1', bootId: 'this' }],
  ['it is from before a reboot', { ...identify(process.pid), bootId: 'another' }],
  ['it cannot be read', 'garbage'],
])('is taken over when %s', async (_, holder) => {
  const home = newHome()
  writeFileSync(
    join(home, 'up.lock.7'),
    JSON.stringify(holder).replace('"this"', JSON.stringify(identify(process.pid)?.bootId)),
  )
  expect(await (await newRival(home)).take()).toEqual({ taken: true })
  expect(readdirSync(home)).toEqual(['up.lock.8'])
})

it('is not taken from the living', async () => {
  const home = newHome()
  writeFileSync(join(home, 'up.lock.7'), JSON.stringify(identify(process.pid)))
  expect(await (await newRival(home)).take()).toMatchObject({ taken: false, holder: { pid: process.pid } })
  expect(readdirSync(home)).toEqual(['up.lock.7'])
})
