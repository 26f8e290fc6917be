import { isLive } from '#contract/execution.ts'
import type { Execution } from '#contract/execution.ts'
import type { Connection } from './connection.ts'
import { exitCodeOf, TIMED_OUT, told } from './ending.ts'
import { findExecution, shortId } from './find-execution.ts'
import { note, printJson } from './output.ts'
import type { Screen } from './screen.ts'
import { waitFor } from './wait.ts'

/** Waits for the end of each. Answers with the exit code of the first that did not succeed. */
export async function wait(
  connection: Connection,
  screen: Screen,
  wanted: string[],
  options: { timeoutMs?: number; json?: boolean },
): Promise<number> {
  const found: Execution[] = []
  for (const each of wanted) found.push(await findExecution(connection, each))
  const ids = found.map(({ id }) => id)
  const live = found.filter(({ status }) => isLive(status))
  if (live.length > 0 && !options.json)
    note(`Waiting for ${live.map(({ id }) => shortId(id)).join(', ')}; Ctrl-C leaves what runs running`)
  const { timeoutMs } = options
  const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const ended = await waitFor(connection, ids, signal)
  if (options.json) await printJson(ended)
  else for (const each of ended) screen.write(`${shortId(each.id)} ${told(screen, each)}\n`)
  if (ended.length < ids.length) {
    const left = ids.filter((id) => !ended.some((each) => each.id === id))
    note(`Not over yet: ${left.map(shortId).join(', ')}. Nothing was stopped; wait again, or signalbox stop`)
    return TIMED_OUT
  }
  return ended.map(exitCodeOf).find((code) => code !== 0) ?? 0
}
