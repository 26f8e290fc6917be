import type { LogEvents } from '#contract/execution.ts'
import { inertLine } from '#lib/inert-text.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'
import { follow } from './follow.ts'
import type { Follower } from './follow.ts'
import { note, print } from './output.ts'

type Line = { [Name in keyof LogEvents]: { event: Name; data: LogEvents[Name] } }[keyof LogEvents]

/** Prints an execution's log as it comes, bytes as they are, until it has ended. Answers how it did. */
export async function followLog(
  connection: Connection,
  id: string,
  how: { json?: boolean; quiet?: boolean } & Pick<Follower, 'signal' | 'pauseMs'> = {},
): Promise<LogEvents['done'] | undefined> {
  let ending: LogEvents['done'] | undefined
  const { json, quiet, ...rest } = how
  await follow(connection, `/executions/${id}/logs/stream`, {
    ...rest,
    onLost: () => note('The connection is lost; reconnecting…'),
    async take(frame) {
      const line = { event: frame.event, data: JSON.parse(frame.data) } as Line
      if (json) await print(process.stdout, `${JSON.stringify({ event: line.event, ...line.data })}\n`)
      else if (!quiet) await show(line)
      if (line.event === 'error') throw new Failure(inertLine(line.data.message))
      if (line.event === 'done') ending = line.data
      return ending !== undefined
    },
  })
  return ending
}

async function show({ event, data }: Line): Promise<void> {
  if (event !== 'log' && event !== 'catchup') return
  await print(data.stream === 'stdout' ? process.stdout : process.stderr, data.content)
}
