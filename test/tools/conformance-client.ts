// The client that the conformance suite starts, all of them at once. Each waits for its turn before it loads anything: a small machine would
// take longer for all together than any of them may take.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const places = 3
const queue = process.env['CONFORMANCE_QUEUE']

/** A name that the system takes back when its process ends, however it ends. */
async function isMine(place: number): Promise<boolean> {
  const server = createServer().unref()
  const heard = once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.listen(`\0${queue}-${place}`)
  return heard
}

async function myTurn(): Promise<void> {
  for (;;) {
    for (let place = 0; place < places; place += 1) if (await isMine(place)) return
    await wait(50)
  }
}

if (queue !== undefined) await myTurn()
await import('./conformance-drive.ts')
