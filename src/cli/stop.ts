import { Execution, isLive } from '#contract/execution.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import { inWords, told } from './ending.ts'
import { findExecution, shortId } from './find-execution.ts'
import { printJson } from './output.ts'
import type { Screen } from './screen.ts'
import { waitFor } from './wait.ts'

/** Asks for an execution's end; with `wait` it is there when this answers. */
export async function stop(
  connection: Connection,
  screen: Screen,
  wanted: string,
  options: { wait?: boolean; json?: boolean },
): Promise<void> {
  const { id } = await findExecution(connection, wanted)
  const asked = await ask(connection, `/executions/${id}/cancel`, Execution, { method: 'POST' })
  const [ended] = options.wait ? await waitFor(connection, [id]) : []
  const now = ended ?? asked
  if (options.json) return printJson(now)
  const isOver = !isLive(now.status)
  screen.write(
    isOver ? `${shortId(id)} ${told(screen, now)}\n` : `${shortId(id)} is ${inWords[now.status]}\n`,
  )
}
