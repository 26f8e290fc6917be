import { expect, test } from 'vitest'
import { owner } from '#domain/access.ts'
import { cancelExecution } from '#flows/cancel-execution.ts'
import { interruptExecution } from '#flows/interrupt-execution.ts'
import { sendMessage } from '#flows/send-message.ts'
import { handOver, openDriven, patient } from '../../../test/support/chat/driven.ts'
import type { Step } from '../../../test/support/chat/driven.ts'

const five: Step = {
  calls: [
    ['a', 'desk__sell', { what: 'a' }],
    ['b', 'desk__sell', { what: 'b' }],
    ['c', 'desk__break'],
    ['d', 'desk__sell', { what: 'd' }],
    ['e', 'desk__sell', { what: 'e' }],
  ],
}

test('a turn: what it says is in the log, and the execution ends with it', async () => {
  const box = await openDriven({ steps: [{ text: 'Hello.' }] })
  const { id, sessionId } = await box.say('Hi')
  await (
    await box.worker().drive(id)
  ).done
  expect(await box.row(id)).toMatchObject({ status: 'succeeded', usage: { inputTokens: 10 } })
  const said = await box.log(sessionId)
  expect(said.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['data-message', 'data-session', 'start-step', 'text-delta', 'finish-step']),
  )
})

test('five calls are asked about in their order; workers die between the answers, and nothing is done twice', async () => {
  const box = await openDriven({ steps: [five, { text: 'Done.' }] })
  const { id } = await box.say('Sell')
  await box.worker().drive(id)
  const asked = await box.waiting(5)
  expect(asked.map(({ toolCallId, position, total }) => [toolCallId, position, total])).toEqual([
    ['a', 1, 5],
    ['b', 2, 5],
    ['c', 3, 5],
    ['d', 4, 5],
    ['e', 5, 5],
  ])
  await box.answer(asked[0]!.id, 'granted')
  await expect.poll(() => box.made, patient).toHaveLength(1)
  await box.waiting(4)
  // Another worker takes it up; the first one is as good as dead.
  await box.worker().drive(id)
  await box.answer(asked[1]!.id, 'refused')
  await box.answer(asked[2]!.id, 'granted')
  await expect.poll(() => box.made, patient).toHaveLength(2)
  const last = await box.worker().drive(id)
  await box.answer(asked[3]!.id, 'refused')
  await box.answer(asked[4]!.id, 'granted')
  await last.done
  expect(await box.row(id)).toMatchObject({ status: 'succeeded' })
  expect(box.made.toSorted()).toEqual(['break {}', 'sell {"what":"a"}', 'sell {"what":"e"}'])
  const results = JSON.stringify(box.shown.at(-1))
  for (const told of [
    '"toolCallId":"a"',
    '"toolCallId":"b"',
    '"toolCallId":"c"',
    '"toolCallId":"d"',
    '"toolCallId":"e"',
  ])
    expect(results).toContain(told)
  expect(box.shown).toHaveLength(2)
})

test('a call that was under way when its worker died is not made again, unless it only looks', async () => {
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
  const never = new Promise<void>(() => undefined)
  box.gates.set('sell', never)
  box.gates.set('look', never)
  const { id } = await box.say('Sell')
  await box.worker().drive(id)
  for (const { id: one } of await box.waiting(2)) await box.answer(one, 'granted')
  await expect.poll(() => box.made, patient).toHaveLength(2)
  box.gates.clear()
  await (
    await box.worker().drive(id)
  ).done
  expect(box.made.toSorted()).toEqual(['look {}', 'look {}', 'sell {}'])
  expect(JSON.stringify(box.shown.at(-1))).toMatch(/not known: look before you do it again.*look was done/)
})

test('a worker that leaves takes nothing back, and the next one goes on', async () => {
  const box = await openDriven({ steps: [{ calls: [['a', 'desk__sell']] }, { text: 'Done.' }] })
  const { id } = await box.say('Sell')
  const first = await box.worker().drive(id)
  const [asked] = await box.waiting(1)
  await first.letGo()
  expect(await box.waiting(1)).toMatchObject([{ id: asked!.id }])
  const second = await box.worker().drive(id)
  await box.answer(asked!.id, 'granted')
  await second.done
  expect(box.made).toEqual(['sell {}'])
  expect(await box.row(id)).toMatchObject({ status: 'succeeded' })
})

test('an answer that was cut off is asked for again by the next worker, and stands there once for the model', async () => {
  const never = new Promise<void>(() => undefined)
  const box = await openDriven({
    steps: [{ text: 'Half of', until: never }, { text: 'All of it.' }, { text: 'Yes.' }],
  })
  const { id, sessionId } = await box.say('Tell me')
  const first = await box.worker().drive(id)
  await expect
    .poll(async () => (await box.log(sessionId)).map(({ type }) => type), patient)
    .toContain('text-delta')
  await first.letGo()
  await (
    await box.worker().drive(id)
  ).done
  const { id: next } = await box.say('Sure?', sessionId)
  await (
    await box.worker().drive(next)
  ).done
  expect(JSON.stringify(box.shown.at(-1))).toMatch(/Tell me.*All of it\..*Sure\?/)
  expect(JSON.stringify(box.shown.at(-1))).not.toContain('Half of')
})

test('what is said in the middle of a turn is heard before its next step', async () => {
  const box = await openDriven({ steps: [{ calls: [['a', 'desk__sell']] }, { text: 'Done.' }] })
  const { id, sessionId } = await box.say('Sell')
  const driving = await box.worker().drive(id)
  const [asked] = await box.waiting(1)
  await box.pool.transaction((tx) => sendMessage(tx, owner, handOver, id, { text: 'And hurry', files: [] }))
  driving.ring()
  await expect
    .poll(async () => (await box.log(sessionId)).map(({ type }) => type), patient)
    .toContain('data-delivery')
  await box.answer(asked!.id, 'granted')
  await driving.done
  expect(JSON.stringify(box.shown.at(-1))).toMatch(/sell was done.*And hurry/)
})

test('interrupted, it keeps what it said, and the next turn knows it', async () => {
  const never = new Promise<void>(() => undefined)
  const box = await openDriven({ steps: [{ text: 'Half of', until: never }, { text: 'Fine.' }] })
  const { id, sessionId } = await box.say('Tell me')
  const driving = await box.worker().drive(id)
  await expect
    .poll(async () => (await box.log(sessionId)).map(({ type }) => type), patient)
    .toContain('text-delta')
  await box.pool.transaction((tx) => interruptExecution(tx, owner, id))
  driving.ring()
  await driving.done
  expect(await box.row(id)).toMatchObject({ status: 'cancelled', error: 'Interrupted' })
  const { id: next } = await box.say('Go on', sessionId)
  await (
    await box.worker().drive(next)
  ).done
  expect(JSON.stringify(box.shown.at(-1))).toMatch(/Tell me.*Half of.*Go on/)
})

test('cancelled while it asks: nobody is asked any more, and nothing is done', async () => {
  const box = await openDriven({ steps: [{ calls: [['a', 'desk__sell']] }] })
  const { id } = await box.say('Sell')
  const driving = await box.worker().drive(id)
  await box.waiting(1)
  await box.pool.transaction((tx) => cancelExecution(tx, owner, handOver, id))
  driving.ring()
  await driving.done
  expect(await box.row(id)).toMatchObject({ status: 'cancelled' })
  await box.waiting(0)
  expect(box.made).toEqual([])
})

test('its time passes, but not while a person is asked', async () => {
  const never = new Promise<void>(() => undefined)
  const box = await openDriven({
    steps: [{ calls: [['a', 'desk__sell']] }, { text: 'Slow', until: never }],
    timeoutSec: 1,
  })
  const { id } = await box.say('Sell')
  const driving = await box.worker().drive(id)
  const [asked] = await box.waiting(1)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(await box.row(id)).toMatchObject({ status: 'running' })
  await box.answer(asked!.id, 'granted')
  await driving.done
  expect(await box.row(id)).toMatchObject({ status: 'timed_out' })
  expect(box.made).toEqual(['sell {}'])
})
