import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { followLog } from '../../support/follow-log.ts'
import type { LogReader } from '../../support/follow-log.ts'
import type { seeded } from '../../support/seeded.ts'
import type { Signalbox } from '../../support/signalbox.ts'

export interface Asked {
  id: string
  reader: LogReader
}

const modes = ['plain', 'stubborn', 'littering', 'hasty', 'failing'] as const

/** Keeps so many executions going, cancels some, and follows the log of each, whatever happens. */
export function keepRunning(
  box: Signalbox,
  random: ReturnType<typeof seeded>,
  { capabilities, atOnce }: { capabilities: string[]; atOnce: number },
) {
  const acknowledged: Asked[] = []
  const refusals: string[] = []
  let [running, count] = [true, 0]

  async function one(): Promise<void> {
    const mode = modes[random.below(modes.length)]!
    const lines = mode === 'hasty' ? 2_000 + random.below(6_000) : 10 + random.below(60)
    const args = { name: `${mode}-${++count}-${lines}`, lines, mode }
    const capabilityId = capabilities[random.below(capabilities.length)]
    const { status, body } = await box.call('POST', '/executions', { capabilityId, args })
    if (status !== 201) {
      if (status !== 503) refusals.push(`${status} ${JSON.stringify(body)}`)
      await wait(200)
      return
    }
    const id: string = body.data.id
    const reader = followLog(box.url, box.token, id)
    acknowledged.push({ id, reader })
    if (random.below(6) === 0) {
      await wait(random.below(3_000))
      await box.call('POST', `/executions/${id}/cancel`).catch(() => undefined) // or it goes on: both are fine
    }
    await reader.done
  }

  async function lane(): Promise<void> {
    while (running) await one().catch(() => wait(200)) // web was away
  }

  const lanes = Promise.all(Array.from({ length: atOnce }, lane))
  return {
    acknowledged,
    refusals,
    /** Every agent here ends by itself within seconds; readers that wait much longer wait for nothing. */
    async stop() {
      running = false
      await Promise.race([lanes, wait(45_000, undefined, { ref: false })])
      for (const { reader } of acknowledged) reader.stop()
    },
  }
}

/** What an agent itself has left word of. */
export function truthOf(folder: string, name: string): { starts: number; finished: boolean } {
  let words = ''
  try {
    words = readFileSync(`${folder}/${name}`, 'utf8')
  } catch {
    // it never began
  }
  const lines = words.split('\n')
  return { starts: lines.filter((line) => line === 'started').length, finished: lines.includes('finished') }
}
