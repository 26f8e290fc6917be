import { expect, test } from 'vitest'
import { takeLease } from '#db/leases.ts'
import type { DatabasePool } from '#db/pool.ts'
import { handOver, openDriven } from '../../../test/support/chat/driven.ts'
import { openChatLog } from './chat-log.ts'

const rules = () => ({ approvalExpiresMs: 60_000, configured: [], handOver })

/** The log of a turn, and how often something was kept in it. */
async function openLog() {
  const box = await openDriven({ steps: [] })
  const { id, sessionId } = await box.say('Hi')
  const { machineId } = await box.row(id)
  const row = await box.pool.transaction((tx) => takeLease(tx, id, machineId, 'worker'))
  let kept = 0
  const counted = async <Result>(writing: Promise<Result>): Promise<Result> => {
    const result = await writing
    kept += 1
    return result
  }
  const pool: DatabasePool = {
    ...box.pool,
    statement: (write) => counted(box.pool.statement(write)),
    transaction: (work) => counted(box.pool.transaction(work)),
  }
  const log = openChatLog({ pool, rules }, row!)
  const deltas = async () => (await box.log(sessionId)).filter(({ type }) => type === 'text-delta')
  return { log, deltas, kept: () => kept }
}

const delta = (text: string) =>
  ({ type: 'chunk', payload: { type: 'text-delta', id: 't', delta: text } }) as const

test('what leads up to the first words is kept with them, at once', async () => {
  const { log, deltas, kept } = await openLog()
  log.say({ type: 'chunk', payload: { type: 'start-step' } })
  await Promise.resolve()
  log.say({ type: 'chunk', payload: { type: 'text-start', id: 't' } })
  log.say(delta('Hello'))
  await expect.poll(deltas).toHaveLength(1)
  expect(kept()).toBe(1)
  log.close()
})

test('words that come together are kept together, and in their order', async () => {
  const { log, deltas, kept } = await openLog()
  for (let word = 0; word < 100; word += 1) log.say(delta(`${word} `))
  await log.kept()
  expect(kept()).toBe(1)
  expect((await deltas()).map(({ payload }) => payload['delta']).join('')).toMatch(/^0 1 2 .*98 99 $/)
})

test('what is to be kept now is not waited with, and nothing is kept any more once it is closed', async () => {
  const { log, kept } = await openLog()
  log.say({ type: 'chunk', payload: { type: 'start-step' } })
  await log.kept()
  expect(kept()).toBe(1)
  log.say({ type: 'chunk', payload: { type: 'finish-step' } })
  log.close()
  await expect(log.kept()).rejects.toThrow('let go of')
  expect(kept()).toBe(1)
})
