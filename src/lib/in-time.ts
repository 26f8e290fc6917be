import { createContext, Script } from 'node:vm'

/**
 * A schema's author can write a pattern that takes for ever on some input, on purpose or not. No list of bad patterns
 * is complete, so time decides: whatever takes longer is interrupted, and refused. It is the time that we worked, for on a busy
 * machine it may be this process that stood still.
 */
const patienceMs = 500
const mostAttempts = 40
const room = createContext({ work: undefined })
const script = new Script('work()')

/** Throws what `ranOutOfTime` knows when the work takes too long. The work may be begun anew, so it must not leave anything half done. */
export function inTime<Result>(work: () => Result): Result {
  let result: { value: Result } | undefined
  room['work'] = () => void (result = { value: work() })
  for (let [attempt, workedMs] = [1, 0]; !result; attempt += 1) {
    const before = process.threadCpuUsage()
    try {
      script.runInContext(room, { timeout: patienceMs })
    } catch (error) {
      const { user, system } = process.threadCpuUsage(before)
      workedMs += (user + system) / 1000
      if (!ranOutOfTime(error) || workedMs > patienceMs || attempt === mostAttempts) throw error
    }
  }
  return result.value
}

/** Not by its class: the error comes from the other room. */
export const ranOutOfTime = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
