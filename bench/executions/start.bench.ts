import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { registerCommand, startExecution } from '../support/agents.ts'
import { startSignalbox } from '../../test/support/signalbox.ts'
import type { Signalbox } from '../../test/support/signalbox.ts'

const runs = 100
const burst = 50

/** From the request to the first word of the program at a reader, and what a burst and an idle keeper cost. */
export default async function start(): Promise<Figure[]> {
  const box = await startSignalbox()
  try {
    const capabilityId = await registerCommand(box, 'echo', ['/bin/echo', 'hello'])
    for (let n = 0; n < 10; n++) await firstOutput(box, capabilityId) // warm, as on any day but the first minute
    const ours: number[] = []
    const bare: number[] = []
    for (let n = 0; n < runs; n++) {
      ours.push(await firstOutput(box, capabilityId))
      bare.push(await firstOutputOfBareSpawn())
    }
    const peer = { name: 'bare spawn', value: percentile(bare, 0.5) }
    const together = await finishBurst(box, capabilityId)
    await wait(3_000)
    return [
      {
        name: 'asked for → first output, p50',
        ours: percentile(ours, 0.5),
        unit: 'ms',
        target: { most: 100 },
        peer,
      },
      { name: 'the same, p95', ours: percentile(ours, 0.95), unit: 'ms', target: { most: 250 } },
      { name: `${burst} at once: left behind`, ours: together.stranded, unit: '', target: { most: 1 } },
      { name: `${burst} at once: until all have ended`, ours: together.ms, unit: 'ms' },
      {
        name: 'memory of an idle keeper (PSS)',
        ours: await idleKeeper(box),
        unit: 'MB',
        target: { most: 60 },
      },
    ]
  } finally {
    await box.stop()
  }
}

async function firstOutput(box: Signalbox, capabilityId: string): Promise<number> {
  const asked = performance.now()
  const id = await startExecution(box, capabilityId)
  const response = await fetch(`${box.url}/api/v1/executions/${id}/logs/stream`, {
    headers: { authorization: `Bearer ${box.token}` },
  })
  let [text, first] = ['', 0]
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    text += piece
    if (first === 0 && /^event: (log|catchup)$/m.test(text)) first = performance.now()
  }
  if (first === 0) throw new Error(`An execution said nothing: ${text}`)
  return first - asked
}

async function firstOutputOfBareSpawn(): Promise<number> {
  const started = performance.now()
  const child = spawn('/bin/echo', ['hello'])
  await once(child.stdout, 'data')
  const took = performance.now() - started
  await once(child, 'close')
  return took
}

async function finishBurst(box: Signalbox, capabilityId: string): Promise<{ stranded: number; ms: number }> {
  const started = performance.now()
  const ids = new Set(
    await Promise.all(Array.from({ length: burst }, () => startExecution(box, capabilityId))),
  )
  const late = performance.now() + 60_000
  for (;;) {
    const { body } = await box.call('GET', '/executions?status=succeeded&pageSize=500')
    const ended = body.data.filter(({ id }: { id: string }) => ids.has(id)).length
    if (ended === burst || performance.now() > late)
      return { stranded: burst - ended, ms: performance.now() - started }
    await wait(20)
  }
}

/** The one that has done all of the above. */
async function idleKeeper(box: Signalbox): Promise<number> {
  const folder = join(box.home, 'keepers')
  const sizes: number[] = []
  for (const id of await readdir(folder)) {
    const { identity } = JSON.parse(await readFile(join(folder, id, 'keeper.json'), 'utf8'))
    const pss = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${identity.pid}/smaps_rollup`, 'utf8'))?.[1]
    sizes.push(Number(pss) / 1024)
  }
  return Math.max(...sizes)
}
