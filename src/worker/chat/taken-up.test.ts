import { expect, test } from 'vitest'
import { appendEvents, lockStream } from '#db/events.ts'
import { owner } from '#domain/access.ts'
import { sendMessage } from '#flows/send-message.ts'
import { handOver, openDriven, patient } from '../../../test/support/chat/driven.ts'

const never = new Promise<void>(() => undefined)

test('a yes is for one call alone: a provider may give ids again that a summary has swallowed', async () => {
  const box = await openDriven({
    steps: [
      { calls: [['call_0', 'desk__sell', { what: 'a' }]] },
      { text: 'Let me think', until: never },
      { calls: [['call_0', 'desk__sell', { what: 'a' }]] },
      { calls: [['call_0', 'desk__sell', { what: 'b' }]] },
      { text: 'Done.' },
    ],
  })
  const { id, sessionId } = await box.say('Sell')
  const first = await box.worker().drive(id)
  const [asked] = await box.waiting(1)
  await box.pool.transaction((tx) => sendMessage(tx, owner, handOver, id, { text: 'And hurry', files: [] }))
  first.ring()
  const types = async () => (await box.log(sessionId)).map(({ type }) => type)
  await expect.poll(types, patient).toContain('data-delivery')
  await box.answer(asked!.id, 'granted')
  await expect.poll(types, patient).toContain('text-delta')
  await first.letGo()
  await box.pool.transaction(async (tx) => {
    await lockStream(tx, sessionId)
    const payload = { text: 'Something was sold.', tokens: 4, keptTurns: 1 }
    await appendEvents(tx, sessionId, [{ type: 'data-summary', payload, executionId: id }])
  })
  const second = await box.worker().drive(id)
  const [same] = await box.waiting(1)
  expect(box.made).toEqual(['sell {"what":"a"}'])
  expect(same!.id).not.toBe(asked!.id)
  await box.answer(same!.id, 'granted')
  await expect.poll(() => box.made, patient).toHaveLength(2)
  const [other] = await box.waiting(1)
  await box.answer(other!.id, 'granted')
  await second.done
  expect(box.made).toEqual(['sell {"what":"a"}', 'sell {"what":"a"}', 'sell {"what":"b"}'])
  const ids = [asked, same, other].map((one) => one!.toolCallId)
  expect(new Set(ids).size).toBe(3)
})

test.each([
  ['tokens', { agent: { maxTokens: 40 } }],
  ['money of its session', { agent: { maxBudgetUsd: 0.000_25 } }],
  ['money of a day', { perDayUsd: 0.000_25 }],
])('what a turn has spent counts once, whoever takes it up: %s', async (_, limits) => {
  // 15 tokens for $0.000105 in each step: there is room for a third one.
  const box = await openDriven({
    steps: [{ calls: [['a', 'desk__sell']] }, { calls: [['b', 'desk__sell']] }, { text: 'Done.' }],
    ...limits,
  })
  const { id } = await box.say('Sell')
  await box.worker().drive(id)
  const [first] = await box.waiting(1)
  await box.worker().drive(id)
  await box.answer(first!.id, 'granted')
  await expect.poll(() => box.made, patient).toHaveLength(1)
  const [second] = await box.waiting(1)
  const last = await box.worker().drive(id)
  await box.answer(second!.id, 'granted')
  await last.done
  expect(await box.row(id)).toMatchObject({
    status: 'succeeded',
    usage: { inputTokens: 30, outputTokens: 15, steps: 3 },
  })
  expect(box.shown).toHaveLength(3)
})

test('what a turn has spent is not forgotten either', async () => {
  const box = await openDriven({
    steps: [{ calls: [['a', 'desk__sell']] }, { calls: [['b', 'desk__sell']] }, { text: 'Done.' }],
    agent: { maxTokens: 30 },
  })
  const { id } = await box.say('Sell')
  await box.worker().drive(id)
  const [first] = await box.waiting(1)
  await box.worker().drive(id)
  await box.answer(first!.id, 'granted')
  await expect.poll(() => box.made, patient).toHaveLength(1)
  const [second] = await box.waiting(1)
  const last = await box.worker().drive(id)
  await box.answer(second!.id, 'granted')
  await last.done
  expect(await box.row(id)).toMatchObject({ error: expect.stringContaining('30 tokens') })
  expect(box.shown).toHaveLength(2)
})

test('a call that is asked about only by the next worker stands where its step had it', async () => {
  const box = await openDriven({
    steps: [
      {
        calls: [
          ['a', 'desk__look'],
          ['b', 'desk__sell'],
          ['c', 'desk__sell', { what: 'c' }],
        ],
      },
      { text: 'Done.' },
    ],
  })
  const { id, sessionId } = await box.say('Sell')
  const first = await box.worker().drive(id)
  const asked = await box.waiting(3)
  await box.answer(asked[0]!.id, 'granted')
  await expect
    .poll(async () => (await box.log(sessionId)).map(({ type }) => type), patient)
    .toContain('tool-output-available')
  await first.letGo()
  // As if the first worker had died before it could ask about the others.
  await box.pool.db.$client.query('delete from approvals where tool_call_id in ($1, $2)', ['b', 'c'])
  const second = await box.worker().drive(id)
  const again = await box.waiting(2)
  expect(again.map(({ toolCallId, position, total }) => [toolCallId, position, total])).toEqual([
    ['b', 2, 3],
    ['c', 3, 3],
  ])
  for (const one of again) await box.answer(one.id, 'refused')
  await second.done
})

test('a turn whose every call waits for a person does nothing else; one that is at work does', async () => {
  const box = await openDriven({
    steps: [
      {
        calls: [
          ['a', 'desk__sell'],
          ['b', 'desk__look'],
        ],
      },
      { text: 'Done.' },
    ],
  })
  const gate = Promise.withResolvers<void>()
  box.gates.set('sell', gate.promise)
  const { id } = await box.say('Sell')
  const driving = await box.worker().drive(id)
  expect(driving.isWaiting?.()).toBe(false)
  const [first, second] = await box.waiting(2)
  await expect.poll(() => driving.isWaiting?.(), patient).toBe(true)
  await box.answer(first!.id, 'granted')
  await expect.poll(() => box.made, patient).toHaveLength(1)
  expect(driving.isWaiting?.()).toBe(false)
  gate.resolve()
  await expect.poll(() => driving.isWaiting?.(), patient).toBe(true)
  await box.answer(second!.id, 'refused')
  await driving.done
  expect(driving.isWaiting?.()).toBe(false)
})
