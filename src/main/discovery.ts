// A process that looks at programs, beside the worker: whatever it reads and runs costs nobody else memory, and it has no key of
// ours. It ends with the worker.
import { setPriority } from 'node:os'
import { openLimits } from '#boundaries/sandbox/limits.ts'
import { seccompFilter } from '#boundaries/sandbox/seccomp.ts'
import { openDiscovery } from '#discovery/open.ts'
import type { AskModel } from '#discovery/port.ts'
import type { Asked, FromDiscovery, ToDiscovery } from './discovery-messages.ts'

/** What a program may use that is asked for its help. */
const limits = { memoryMb: 512, cpus: 1, pids: 64 }
/** What walls are made of is there also where PATH does not name the usual folders. */
const wallsPath = `${process.env['PATH'] ?? ''}:/usr/bin:/usr/sbin:/bin:/sbin`
/** How nice it is to others, and our own folders, which nobody is shown. */
const [priority, ...hidden] = process.argv.slice(2)

setPriority(Number(priority))
const discovery = openDiscovery({
  walls: { path: wallsPath, seccomp: seccompFilter(), hidden, hold: () => openLimits(limits) },
})
const going = new Map<number, { stop: AbortController; answered?: (model: Answered) => void }>()
type Answered = { answer: string } | { failure: string }

// Once the worker is gone there is nobody to tell, and this ends.
const say = (message: FromDiscovery): void =>
  void process.send?.(message, undefined, undefined, () => undefined)

process.on('disconnect', () => void discovery.close().finally(() => process.exit(0)))
process.on('message', (message: ToDiscovery) => {
  if ('asked' in message) void answer(message.id, message.asked)
  else if ('calledOff' in message) going.get(message.id)?.stop.abort()
  else going.get(message.id)?.answered?.(message.model)
})

async function answer(id: number, asked: Asked): Promise<void> {
  const stop = new AbortController()
  going.set(id, { stop })
  try {
    say({ id, answer: await find(id, asked, stop.signal) })
  } catch (error) {
    say({ id, failure: error instanceof Error ? error.message : String(error) })
  } finally {
    going.delete(id)
  }
}

function find(id: number, asked: Asked, signal: AbortSignal): Promise<unknown> {
  switch (asked.what) {
    case 'look':
      return discovery.look(asked.folders, {
        signal,
        onProgress: (...progress) => say({ id, progress }),
      })
    case 'describe':
      return discovery.describe(asked.program, {
        signal,
        onUnasked: (unasked) => say({ id, unasked }),
        ...(asked.hasModel && { model: modelOf(id) }),
      })
    case 'habits':
      return discovery.habits(asked.home)
    case 'version':
      return discovery.version(asked.program, signal)
  }
}

/** Keys stay in the worker, which asks. */
const modelOf =
  (id: number): AskModel =>
  (question, signal) =>
    new Promise((resolve, reject) => {
      const asking = going.get(id)
      if (!asking) return reject(new Error('It was called off'))
      signal.addEventListener('abort', () => reject(new Error('It was called off')), { once: true })
      asking.answered = (model) =>
        'answer' in model ? resolve(model.answer) : reject(new Error(model.failure))
      say({ id, question })
    })
