import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { HANDED_OVER_CHANNEL, handedTo, openHandOver } from './hand-over.ts'

async function open() {
  const pool = await freshPool()
  const handOver = await openHandOver(pool.db, { log: pino({ level: 'silent' }), retryAfterSeconds: 0 })
  onTestFinished(() => handOver.close())
  const machine = newId()
  await handOver.open(machine)
  const send = async (priority = 1, queue: 'tool' | 'coding' = 'tool') => {
    const [id, sessionId] = [newId(), newId()]
    await pool.transaction((tx) => handOver.send(tx, { id, sessionId, machineId: machine, queue, priority }))
    return id
  }
  return { pool, handOver, machine, send }
}

test('what is handed over comes once, the most urgent first, to its machine and its queue', async () => {
  const { handOver, machine, send } = await open()
  const [low, high, coding] = [await send(0), await send(3), await send(1, 'coding')]
  const elsewhere = newId()
  await handOver.open(elsewhere)
  expect(await handOver.take(elsewhere, 'tool', 10)).toEqual([])
  expect((await handOver.take(machine, 'tool', 1)).map(({ executionId }) => executionId)).toEqual([high])
  expect((await handOver.take(machine, 'tool', 10)).map(({ executionId }) => executionId)).toEqual([low])
  expect((await handOver.take(machine, 'coding', 10)).map(({ executionId }) => executionId)).toEqual([coding])
  expect(await handOver.take(machine, 'tool', 10)).toEqual([])
})

test('its machine hears which execution it is, and of which queue; no other one does', async () => {
  const { pool, machine, send } = await open()
  const client = await pool.db.$client.connect()
  onTestFinished(() => client.release(true))
  const heard: string[] = []
  client.on('notification', ({ payload }) => heard.push(payload ?? ''))
  await client.query(`listen ${HANDED_OVER_CHANNEL}`)
  const executionId = await send(1, 'coding')
  await expect.poll(() => heard.length).toBe(1)
  expect(handedTo(machine, heard[0]!)).toEqual({
    queue: 'coding',
    executionId,
    sessionId: expect.any(String),
  })
  expect(handedTo(newId(), heard[0]!)).toBeUndefined()
  expect(handedTo(machine, machine)).toBeUndefined()
})

test('a transaction that fails hands nothing over', async () => {
  const { pool, handOver, machine } = await open()
  const failing = pool.transaction(async (tx) => {
    await handOver.send(tx, {
      id: newId(),
      sessionId: newId(),
      machineId: machine,
      queue: 'tool',
      priority: 1,
    })
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(await handOver.take(machine, 'tool', 10)).toEqual([])
})

test('what could not be started comes back twice, and is then laid aside', async () => {
  const { pool, handOver, machine, send } = await open()
  const id = await send()
  const seen = []
  for (let attempt = 0; attempt < 3; attempt++) {
    const [handed] = await handOver.take(machine, 'tool', 1)
    seen.push(handed)
    await handOver.giveBack(machine, 'tool', id, 'no keeper')
    expect(await handOver.look(machine, 'tool', id)).toMatchObject({
      waits: attempt < 2,
      isLastAttempt: attempt === 2,
    })
  }
  expect(seen).toEqual([
    { executionId: id, isLastAttempt: false },
    { executionId: id, isLastAttempt: false },
    { executionId: id, isLastAttempt: true },
  ])
  expect(await handOver.take(machine, 'tool', 1)).toEqual([])
  const { rows } = await pool.db.$client.query(
    `select data->>'executionId' as id from pgboss.job where name = 'executions.not-started'`,
  )
  expect(rows).toEqual([{ id }])
})

test('what is settled does not come back, whether it was taken or not', async () => {
  const { pool, handOver, machine, send } = await open()
  const [taken, waiting] = [await send(2), await send(1)]
  await handOver.take(machine, 'tool', 1)
  await handOver.settle(machine, 'tool', taken)
  await pool.transaction((tx) => handOver.settle(machine, 'tool', waiting, tx))
  expect(await handOver.look(machine, 'tool', waiting)).toMatchObject({ waits: false, isLastAttempt: true })
  expect(await handOver.take(machine, 'tool', 10)).toEqual([])
})
