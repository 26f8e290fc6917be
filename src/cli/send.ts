import { z } from 'zod'
import { Id } from '#contract/text.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import { findExecution, shortId } from './find-execution.ts'
import { note, print, printJson } from './output.ts'

const Taken = z.object({ executionId: Id })

/** Gives an agent a message, and prints the execution that takes it: this one, or the next of its session. */
export async function send(
  connection: Connection,
  wanted: string,
  text: string,
  options: { json?: boolean },
): Promise<void> {
  const { id } = await findExecution(connection, wanted)
  const question = { method: 'POST', body: { text } } as const
  const taken = await ask(connection, `/executions/${id}/messages`, Taken, question)
  if (options.json) return printJson(taken)
  if (taken.executionId !== id) note(`${shortId(id)} had ended; this opened the next of its session:`)
  await print(process.stdout, `${taken.executionId}\n`)
}
