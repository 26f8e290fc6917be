import { open } from './client.ts'
import type { Connection } from './connection.ts'
import { findExecution } from './find-execution.ts'
import { followLog } from './follow-log.ts'
import { print, printJson } from './output.ts'

export interface LogsOptions {
  follow?: boolean
  json?: boolean
}

/** What an execution has written so far; with `follow` also what it writes until it ends. */
export async function logs(connection: Connection, wanted: string, options: LogsOptions): Promise<void> {
  const { id } = await findExecution(connection, wanted)
  const { json = false } = options
  if (options.follow) return void (await followLog(connection, id, { json }))
  const answer = await open(connection, `/executions/${id}/logs`, { headers: { accept: 'text/plain' } })
  if (json) return printJson({ executionId: id, content: await answer.text() })
  for await (const piece of answer.body ?? []) await print(process.stdout, piece)
}
