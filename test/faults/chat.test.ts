import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { isLive } from '#contract/execution.ts'
import { openChatRoom } from '../support/chat/room.ts'
import type { ChatRoom } from '../support/chat/room.ts'
import { seeded } from '../support/seeded.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { complaintsAboutChats } from './chat/inspect.ts'
import { keepChatting } from './chat/load.ts'
import { allFaults } from './executions/faults.ts'

const rounds = Math.ceil(Number(process.env['ROUNDS'] ?? 30) / 3)

test(`${rounds} random faults under chats with models: nothing said is lost, nothing is done twice, no session is stuck`, async () => {
  const random = seeded()
  const room = await openChatRoom({
    HEARTBEAT_INTERVAL_MS: '1000',
    STALE_AFTER_MS: '6000',
    MIN_FREE_DISK: '1MB',
  })
  onTestFinished(() => room.close())
  const { box } = room
  const agents = await Promise.all(
    ['anthropic', 'openai', 'google', 'compatible/a-model'].map((model) =>
      room.agent({ model, permissionPolicy: 'ask', maxTurns: 10_000, maxBudgetUsd: 1_000 }),
    ),
  )
  const load = keepChatting(room, random, [...agents, ...agents])
  const isOfChats = (name: string) => /^(kill|freeze) (worker|web|postgres)$/.test(name)
  const faults = allFaults(box.home, random, () => false).filter(({ name }) => isOfChats(name))
  for (let round = 0; round < rounds; round++) {
    // Mostly in the middle of something, and now and then while everything is still coming up again.
    if (random.below(4) > 0) await untilTalking(room)
    await wait(random.below(1_500))
    const place = round % faults.length
    if (place === 0) random.shuffle(faults)
    await faults[place]!.happen()
  }

  await load.stopChatting()
  await settled(box)
  await load.stopAnswering()
  const { body } = await box.call('GET', '/approvals?status=waiting')
  expect(body.data).toEqual([])
  process.stdout.write(`${rounds} faults, ${load.turns.length} turns, ${room.done().length} calls\n`)
  expect(load.refusals).toEqual([])
  expect(await complaintsAboutChats(room, load.turns)).toEqual([])
  expect(load.turns.length).toBeGreaterThan(rounds / 2)
})

/** Resolves when the model is asked for something again, or after a while in which it is not. */
async function untilTalking({ model }: Pick<ChatRoom, 'model'>): Promise<void> {
  const before = model.turns.length
  for (const late = Date.now() + 8_000; model.turns.length === before && Date.now() < late;) await wait(20)
}

/** Every turn here ends by itself within seconds. */
async function settled(box: Signalbox): Promise<void> {
  for (const late = Date.now() + 60_000; ; await wait(250)) {
    const { body } = await box.call('GET', '/executions?pageSize=500').catch(() => ({ body: undefined }))
    const live = body?.data?.filter(({ status }: { status: 'queued' }) => isLive(status))
    if (live?.length === 0) return
    if (Date.now() > late) throw new Error(`Not all turns have ended: ${JSON.stringify(live)}\n${box.log()}`)
  }
}
