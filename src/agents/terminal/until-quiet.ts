import type { Readable } from 'node:stream'

const quietMs = 400
const patienceMs = 10_000

/**
 * Resolves once a program has drawn something and been quiet for a moment, or is over, or never stops drawing: what is typed
 * while it still starts would be lost. Never rejects.
 */
export function untilQuiet(output: Readable, exited: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    let quiet: NodeJS.Timeout | undefined
    const heard = () => {
      clearTimeout(quiet)
      quiet = setTimeout(done, quietMs)
    }
    const done = () => {
      clearTimeout(quiet)
      clearTimeout(late)
      output.off('data', heard)
      resolve()
    }
    const late = setTimeout(done, patienceMs)
    output.on('data', heard)
    void exited.finally(done)
  })
}
