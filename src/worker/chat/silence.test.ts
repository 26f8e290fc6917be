import { expect, test } from 'vitest'
import { openDriven, patient } from '../../../test/support/chat/driven.ts'
import { watchSilence } from './silence.ts'
import { openTurnClock } from './turn-clock.ts'

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
  const told: unknown[] = []
  const { clock } = watchSilence({
    stallMs: 100,
    isStalled: false,
    clock: openTurnClock(60_000, () => undefined),
    tell: (chunk) => told.push(chunk),
  })
  const goOn = clock.hold()
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(told).toEqual([])
  goOn()
  await expect.poll(() => told, patient).toMatchObject([{ type: 'data-stall' }])
  clock.close()
})
