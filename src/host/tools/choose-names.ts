import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { badPattern } from './name-pattern.ts'
import { givenUp } from './open-file.ts'
import { longestSearchMs, tooLong } from './ripgrep.ts'

// JavaScript's regular expressions can take for ever, and nothing stops them but the end of their thread.
const program = `
const { parentPort, workerData } = require('node:worker_threads')
let expression
try {
  expression = new RegExp(workerData.source, workerData.flags)
  parentPort.postMessage(null)
} catch (error) {
  parentPort.postMessage(error.message)
}
parentPort.on('message', (names) => parentPort.postMessage(names.filter((name) => expression.test(name))))
`

export interface ChosenNames {
  /** Those of the names that fit. Rejects with ToolRefused. */
  of(names: readonly string[]): Promise<string[]>
  close(): Promise<unknown>
}

export function chooseNames(source: string, caseSensitive: boolean, signal: AbortSignal): ChosenNames {
  const worker = new Worker(program, {
    eval: true,
    workerData: { source, flags: caseSensitive ? 'u' : 'iu' },
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  })
  const end = AbortSignal.any([signal, AbortSignal.timeout(longestSearchMs)])
  const answer = async <Answer>(): Promise<Answer> => {
    try {
      const [said] = (await once(worker, 'message', { signal: end })) as [Answer]
      return said
    } catch {
      throw signal.aborted ? givenUp() : tooLong()
    }
  }
  const begun = answer<string | null>()
  begun.catch(() => undefined)
  return {
    async of(names) {
      const complaint = await begun
      if (complaint !== null) throw badPattern(complaint)
      const chosen = answer<string[]>()
      worker.postMessage(names, [])
      return chosen
    },
    close: () => worker.terminate(),
  }
}
