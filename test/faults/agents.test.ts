import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { isLive } from '#contract/execution.ts'
import { registerScripted, scriptedEnv } from '../support/scripted-agent.ts'
import { seeded } from '../support/seeded.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'
import { complaintsAbout } from './agents/inspect.ts'
import { keepTalking } from './agents/load.ts'
import { allFaults, livingKeepers, markedProcesses } from './executions/faults.ts'

/** A round here is longer than one with plain commands: the agent has to come up again. */
const rounds = Math.ceil(Number(process.env['ROUNDS'] ?? 30) / 2)

test(`${rounds} random faults under agents that talk: nothing said is lost or doubled, what was granted is done once`, async () => {
  const random = seeded()
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  const truth = mkdtempSync(join(tmpdir(), 'signalbox-truth-'))
  mkdirSync(join(home, 'keepers'), { mode: 0o700 })
  onTestFinished(() => {
    for (const folder of [home, truth]) rmSync(folder, { recursive: true, force: true })
  })
  const box = await startSignalbox({
    home,
    env: {
      ...scriptedEnv(truth),
      HEARTBEAT_INTERVAL_MS: '1000',
      STALE_AFTER_MS: '6000',
      MIN_FREE_DISK: '1MB',
      WORKER_MAX_CONCURRENT: '6',
    },
  })
  onTestFinished(async () => void (await box.stop()))
  const agents = await Promise.all(
    ['one', 'two'].map((folder) => {
      mkdirSync(join(box.work, folder))
      return registerScripted(box, { name: `scripted ${folder}`, workingDir: join(box.work, folder) })
    }),
  )
  const load = keepTalking(box, random, {
    capabilities: agents.map((one) => one.capabilityId),
    truth,
    lanes: 4,
  })

  const isOurs = (mark: string) => load.turns.some(({ sessionId }) => mark.startsWith(sessionId))
  const faults = allFaults(home, random, isOurs).filter(({ name }) => name !== 'fill the disk')
  for (let round = 0; round < rounds; round++) {
    await wait(1_000 + random.below(2_500))
    const place = round % faults.length
    if (place === 0) random.shuffle(faults)
    await faults[place]!.happen()
  }

  await load.stopTalking()
  await settled(box)
  await load.stopAnswering()
  const { body } = await box.call('GET', '/approvals?status=waiting')
  expect(body.data).toEqual([])
  const { complaints, counts } = await complaintsAbout(box, load.turns, (word) => timesDone(truth, word))
  process.stdout.write(`${rounds} faults, ${load.turns.length} turns: ${counts}\n`)
  expect(load.refusals).toEqual([])
  expect(complaints).toEqual([])
  expect(load.turns.length).toBeGreaterThan(rounds)
  expect(await box.stop()).toBe(0)
  expect(livingKeepers(home)).toEqual([])
  expect(markedProcesses().filter(({ execution }) => isOurs(execution))).toEqual([])
})

function timesDone(truth: string, word: string): number {
  try {
    return readFileSync(join(truth, 'done'), 'utf8')
      .split('\n')
      .filter((line) => line === word).length
  } catch {
    return 0
  }
}

/** Every agent here ends its turn by itself within seconds. */
async function settled(box: Signalbox): Promise<void> {
  for (const late = Date.now() + 60_000; ; await wait(250)) {
    const { body } = await box.call('GET', '/executions?pageSize=500').catch(() => ({ body: undefined }))
    const live = body?.data?.filter(({ status }: { status: 'queued' }) => isLive(status))
    if (live?.length === 0) return
    if (Date.now() > late) throw new Error(`Not all turns have ended: ${JSON.stringify(live)}\n${box.log()}`)
  }
}
