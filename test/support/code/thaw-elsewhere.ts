// A process of its own: takes up a frozen run from what is stored of it, answers its calls, and says how it ended.
import { text } from 'node:stream/consumers'
import { readImage } from '#codemode/sandbox/stored-image.ts'
import { readRun } from '#codemode/sandbox/stored-run.ts'
import type { StoredState } from '#codemode/sandbox/stored-run.ts'
import type { RunMeter } from '#codemode/sandbox/run.ts'
import type { Settled } from '#codemode/pool/messages.ts'
import { jobOf, openTestPool } from './code-pool.ts'

export interface Elsewhere {
  image: { hash: string; bytes: string }
  run: { image: string; memory: string; state: StoredState }
  meter: RunMeter
  settled: Settled[]
  /** Settled one after the other, when it is there. */
  later: Settled[]
}

const { image, run, meter, settled, later } = JSON.parse(await text(process.stdin)) as Elsewhere
const frozen = await readRun(run.image, Buffer.from(run.memory, 'base64'), run.state)
const over = await readImage({ hash: image.hash, bytes: Buffer.from(image.bytes, 'base64') })
const pool = openTestPool({ min: 1, max: 1 })
const live = pool.run(jobOf('', { from: { frozen, meter, settled, image: over } }))
for (const one of later) live.settle(one)
process.stdout.write(JSON.stringify(await live.ended))
await pool.close()
