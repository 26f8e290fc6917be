import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (how: { type: 'major'; flavor: 'last-resort' }) => void

/**
 * Gives back what is not in use. V8 does so when it needs room, and a process that has loaded its code and then waits needs none: it would keep
 * twice what it uses for as long as it waits. Takes some hundredths of a second, in which nothing else is done here.
 */
export function giveMemoryBack(): void {
  setFlagsFromString('--expose-gc')
  const collect: Collect = runInNewContext('gc')
  collect({ type: 'major', flavor: 'last-resort' })
}

const quietMs = 3_000

/** For a process that has just started: once what came with that is over. */
export function giveMemoryBackSoon(): void {
  setTimeout(giveMemoryBack, quietMs).unref()
}
