import { Execution } from '#contract/execution.ts'
import { Id } from '#contract/text.ts'
import { ask, readAll } from './client.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'

// A UUIDv7 begins with its time, so its end is what tells two of the same minute apart.
export const shortId = (id: string): string => id.slice(-12)

const LEAST = 6

/** An execution by its id, or by as much of its beginning or end as no other has. */
export async function findExecution(connection: Connection, wanted: string): Promise<Execution> {
  const id = wanted.toLowerCase()
  if (Id.safeParse(id).success) return ask(connection, `/executions/${id}`, Execution)
  if (!/^[\da-f-]+$/.test(id)) throw new Failure(`"${wanted}" is not an id of an execution. ${howToFind}`)
  if (id.length < LEAST)
    throw new Failure(`"${wanted}" is too short: give at least ${LEAST} characters. ${howToFind}`)
  const all = await readAll(connection, '/executions', {}, Execution)
  const found = all.filter((execution) => execution.id.endsWith(id) || execution.id.startsWith(id))
  const [first, ...others] = found
  if (!first) throw new Failure(`No execution has an id that begins or ends with ${id}. ${howToFind}`)
  if (others.length === 0) return first
  const ids = found.slice(0, 5).map((execution) => `  ${execution.id}`)
  throw new Failure(`${found.length} executions fit ${id}; give more of the id:\n${ids.join('\n')}`)
}

const howToFind = 'signalbox ls executions shows them'
