import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openHandOver } from '#db/hand-over.ts'
import { openDriven, patient } from '../../test/support/chat/driven.ts'
import type { Step } from '../../test/support/chat/driven.ts'
import { openWorker } from './worker.ts'
import type { WorkerParts } from './worker.ts'

const log = pino({ enabled: false })
const whole = { timeout: 60_000 }

/** A worker with room for one chat at a time, on a machine on which nothing else runs. */
async function openOneByOne(steps: Step[]) {
  const box = await openDriven({ steps })
  const { pool, machineId, config } = box
  const handOver = await openHandOver(pool.db, { log })
  await handOver.open(machineId)
  const { listener, chat, tools } = box.worker()
  const worker = openWorker({
    pool,
    machineId,
    handOver,
    listener,
    chat,
    tools,
    log,
    workerId: 'w',
    version: '0',
    config: () => config,
    chatsAtOnce: 1,
    keepers: { all: async () => [], serving: () => [], isolation: () => null, close: async () => undefined },
    takeOvers: { look: async () => undefined },
    workspaces: {},
    containers: {},
  } as unknown as WorkerParts)
  onTestFinished(() => worker.leave())
  onTestFinished(() => handOver.close())
  async function becomes(id: string, status: string): Promise<void> {
    await expect.poll(async () => (await box.row(id)).status, patient).toBe(status)
  }
  return { ...box, worker, becomes, say: (words: string) => box.say(words, undefined, handOver as never) }
}

test(
  'a chat that waits for a person keeps no other from beginning, and goes on without waiting for a place',
  whole,
  async () => {
    const gate = Promise.withResolvers<void>()
    const box = await openOneByOne([
      { calls: [['a', 'desk__sell']] },
      { text: 'Hello.' },
      { text: 'This takes long', until: gate.promise },
      { text: 'Sold.' },
    ])
    const asks = await box.say('Sell')
    const [asked] = await box.waiting(1)
    await box.becomes((await box.say('Hi')).id, 'succeeded')
    const busy = await box.say('Think')
    await box.becomes(busy.id, 'running')
    await expect.poll(() => box.shown, patient).toHaveLength(3)
    await box.answer(asked!.id, 'granted')
    await box.becomes(asks.id, 'succeeded')
    gate.resolve()
    await box.becomes(busy.id, 'succeeded')
  },
)

test('a chat that has no place says why, and begins when there is one', whole, async () => {
  const gate = Promise.withResolvers<void>()
  const box = await openOneByOne([{ text: 'This takes long', until: gate.promise }, { text: 'Hello.' }])
  const busy = await box.say('Think')
  await expect.poll(() => box.shown, patient).toHaveLength(1)
  const queued = await box.say('Hi')
  const notices = async () =>
    (await box.log(queued.sessionId))
      .filter(({ type }) => type === 'data-notice')
      .map(({ payload }) => payload)
  await expect
    .poll(notices, patient)
    .toEqual([{ text: expect.stringContaining('1 are under way on this machine') }])
  await box.becomes(queued.id, 'queued')
  gate.resolve()
  await box.becomes(busy.id, 'succeeded')
  await box.becomes(queued.id, 'succeeded')
})
