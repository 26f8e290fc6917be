import { expect, test } from 'vitest'
import { newId } from '#lib/id.ts'
import { openDriven } from '../../test/support/chat/driven.ts'
import { takeChat } from './take-chat.ts'

test('a turn that has begun is not taken from whoever drives it', async () => {
  const box = await openDriven({ steps: [{ text: 'Hello.' }] })
  const { id } = await box.say('Hi')
  const queued = await box.row(id)
  const taker = { machineId: queued.machineId, workerId: newId(), defaultFolder: '/' }
  const take = () => box.pool.transaction((tx) => takeChat(tx, queued, taker))
  const first = await take()
  expect(first).toMatchObject({ status: 'running' })
  expect(await take()).toBeUndefined()
  expect(await box.row(id)).toMatchObject({ leaseEpoch: first!.leaseEpoch })
})
