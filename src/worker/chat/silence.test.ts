import { expect, test } from 'vitest'
import { openDriven, patient } from '../../../test/support/chat/driven.ts'

const stallsIn = (log: readonly { type: string; payload: Record<string, unknown> }[]) =>
  log.filter(({ type }) => type === 'data-stall').map(({ payload }) => payload['silentMs'])

test('a model that says nothing for long is shown as stalled until it speaks, also after its worker died', async () => {
  const { promise: until, resolve: speak } = Promise.withResolvers<void>()
  const { promise: never } = Promise.withResolvers<void>()
  const steps = [
    { text: 'One moment.', until: never },
    { text: 'One moment.', until },
  ]
  const box = await openDriven({ steps })
  Object.assign(box.config.worker, { stallAfterMs: 100 })
  const { id, sessionId } = await box.say('Hi')
  await box.worker().drive(id)
  await expect.poll(async () => (await box.row(id)).stalledSince, patient).toBeInstanceOf(Date)
  // Another worker takes it up, and asks the model again.
  const { done } = await box.worker().drive(id)
  await expect.poll(async () => stallsIn(await box.log(sessionId)).length, patient).toBeGreaterThan(2)
  expect(await box.row(id)).toMatchObject({ stalledSince: expect.any(Date) })
  speak()
  await done
  expect(await box.row(id)).toMatchObject({ status: 'succeeded', stalledSince: null })
  const [first, second] = stallsIn(await box.log(sessionId))
  expect(first).toBeGreaterThanOrEqual(100)
  expect(second).toBe(false)
})

test('nobody wonders while a person is asked', async () => {
  const box = await openDriven({ steps: [{ calls: [['a', 'desk__sell', {}]] }, { text: 'Sold.' }] })
  Object.assign(box.config.worker, { stallAfterMs: 400 })
  const { id, sessionId } = await box.say('Sell')
  const { done } = await box.worker().drive(id)
  const [asked] = await box.waiting(1)
  await new Promise((resolve) => setTimeout(resolve, 900))
  await box.answer(asked!.id, 'granted')
  await done
  expect(stallsIn(await box.log(sessionId))).toEqual([])
})
