import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openHandOver } from '#db/hand-over.ts'
import type { Queue } from '#db/hand-over.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { openClaims } from './claims.ts'

const log = pino({ level: 'silent' })

async function open(room: Record<Queue, number>) {
  const pool = await freshPool()
  const handOver = await openHandOver(pool.db, { log })
  const machineId = newId()
  await handOver.open(machineId)
  const begun: string[] = []
  const claims = openClaims({
    handOver,
    machineId,
    log,
    free: (queue) => room[queue],
    begin: (queue, { executionId }) => {
      room[queue] -= 1
      begun.push(executionId)
    },
  })
  onTestFinished(async () => {
    await claims.close()
    await handOver.close()
  })
  const send = (queue: Queue, count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const id = newId()
        await pool.transaction((tx) =>
          handOver.send(tx, { id, sessionId: newId(), machineId, queue, priority: 1 }),
        )
        return id
      }),
    )
  return { claims, send, begun, room }
}

test('as many begin as there is room for, each kind for itself, and the others when there is more', async () => {
  const { claims, send, begun, room } = await open({ coding: 1, tool: 3, chat: 0 })
  const [coding, tools] = await Promise.all([send('coding', 3), send('tool', 5)])
  claims.wake()
  await expect.poll(() => begun.length).toBe(4)
  expect(begun.filter((id) => coding.includes(id))).toHaveLength(1)
  expect(begun.filter((id) => tools.includes(id))).toHaveLength(3)
  room.tool += 10
  claims.wake()
  await expect.poll(() => begun.length).toBe(6)
  expect(new Set(begun).size).toBe(6)
})

test('fifty at once, woken once: none is left behind', async () => {
  const { claims, send, begun, room } = await open({ coding: 0, tool: 4, chat: 0 })
  const freeing = setInterval(() => {
    room.tool += 4
    claims.wake()
  }, 20)
  onTestFinished(() => clearInterval(freeing))
  const sent = await send('tool', 50)
  await expect.poll(() => begun.length, { timeout: 15_000 }).toBe(50)
  expect(new Set(begun)).toEqual(new Set(sent))
})

test('what went unheard is found all the same', async () => {
  const { send, begun } = await open({ coding: 1, tool: 1, chat: 0 })
  const [id] = await send('tool', 1)
  await expect.poll(() => begun, { timeout: 5_000 }).toEqual([id])
})
