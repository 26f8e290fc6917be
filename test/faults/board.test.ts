import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { readBoard } from '../support/board-reader.ts'
import { seeded } from '../support/seeded.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const rounds = Number(process.env['ROUNDS'] ?? 20)
const writesPerSecond = 200

test(`web and Postgres are killed ${rounds} times each under ${writesPerSecond} writes a second: nothing acknowledged is lost`, async () => {
  const random = seeded()
  const box = await startSignalbox()
  onTestFinished(async () => void (await box.stop()))
  const readers = await Promise.all([readBoard(box.url, box.token), readBoard(box.url, box.token)])
  const writer = keepWriting(box)
  let diedWithPostgres = 0
  const victims = Array.from({ length: rounds }, () => ['web', 'postgres'] as const).flat()
  for (const victim of random.shuffle(victims)) {
    await wait(100 + random.below(400))
    const before = pids(box)
    process.kill(before[victim], 'SIGKILL')
    await until(async () => {
      const now = pids(box)
      return now[victim] > 0 && now[victim] !== before[victim] && (await isServing(box))
    })
    if (victim === 'postgres' && pids(box).web !== before.web) diedWithPostgres += 1
  }
  await wait(500)
  const { acknowledged, refusals } = await writer.stop()
  expect(refusals).toEqual([])
  expect(diedWithPostgres).toBe(0)
  const last = acknowledged.at(-1)
  for (const reader of readers) {
    await reader.until((event) => (event.payload as { task?: { id: string } }).task?.id === last)
    await reader.stop()
  }

  expect(acknowledged.length).toBeGreaterThan(rounds * 20)
  const stored = await everyTask(box)
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([])
  for (const reader of readers) {
    const seqs = reader.events.map((event) => event.seq)
    expect(seqs.filter((seq, index) => index > 0 && seq !== seqs[index - 1]! + 1)).toEqual([])
    const told = new Set(reader.events.map((event) => (event.payload as { task: { id: string } }).task.id))
    expect(acknowledged.filter((id) => !told.has(id))).toEqual([])
    expect(reader.resumed).toBeGreaterThanOrEqual(rounds)
  }
  expect(await box.stop()).toBe(0)
})

/** Asks for tasks at a steady rate, whatever happens, and remembers those that were acknowledged. */
function keepWriting(box: Signalbox) {
  const acknowledged: string[] = []
  const refusals: unknown[] = []
  const asked: Promise<void>[] = []
  let n = 0
  const ask = async (title: string) => {
    const answer = await box.call('POST', '/tasks', { title }).catch(() => undefined) // cut off: not acknowledged
    if (answer?.status === 201) acknowledged.push(answer.body.data.id)
    else if (answer && answer.body.error.code !== 'database_unavailable') refusals.push(answer.body.error)
  }
  const timer = setInterval(() => {
    n += 1
    asked.push(ask(`written ${n}`))
  }, 1000 / writesPerSecond)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(asked)
      return { acknowledged, refusals }
    },
  }
}

const isServing = async (box: Signalbox) =>
  (await fetch(`${box.url}/api/health`).catch(() => undefined))?.ok === true

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await wait(20)
}

async function everyTask(box: Signalbox): Promise<Set<string>> {
  const ids = new Set<string>()
  for (let page = 1; ; page++) {
    const { body } = await box.call('GET', `/tasks?pageSize=500&page=${page}`)
    for (const { id } of body.data) ids.add(id)
    if (page * 500 >= body.meta.total) return ids
  }
}

interface Pids {
  web: number
  postgres: number
}

/** The processes as they are now; 0 for one that is not there. */
function pids(box: Signalbox): Pids {
  const read = (file: string) => {
    try {
      return readFileSync(join(box.home, file), 'utf8')
    } catch {
      return ''
    }
  }
  const record = read('up.json')
  const children: { name: string; pid: number }[] = record ? JSON.parse(record).children : []
  return {
    web: children.find((child) => child.name === 'web')?.pid ?? 0,
    postgres: Number(read('postgres/data/postmaster.pid').split('\n')[0]) || 0,
  }
}
