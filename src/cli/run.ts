import { Approval } from '#contract/approval.ts'
import { Execution } from '#contract/execution.ts'
import { inertLine } from '#lib/inert-text.ts'
import { ask, readAll } from './client.ts'
import type { Connection } from './connection.ts'
import { exitCodeOf, INTERRUPTED, told } from './ending.ts'
import { findCapability } from './find-capability.ts'
import { shortId } from './find-execution.ts'
import { followLog } from './follow-log.ts'
import { givenArguments } from './given-arguments.ts'
import { note, print, printJson } from './output.ts'
import { screenOf } from './screen.ts'

export interface RunOptions {
  agent: string
  capability?: string
  arg: string[]
  args?: string
  task?: string
  session?: string
  confirm?: boolean
  detach?: boolean
  json?: boolean
}

/** Asks for an execution and, unless told to leave it alone, prints its log until it ends. Answers with the exit code. */
export async function run(
  connection: Connection,
  prompt: string | undefined,
  options: RunOptions,
): Promise<number> {
  const capability = await findCapability(connection, options)
  const body = {
    capabilityId: capability.id,
    args: givenArguments(capability.argsSchema, options.args, options.arg),
    ...(prompt !== undefined && { prompt }),
    ...(options.task && { taskId: options.task }),
    ...(options.session && { sessionId: options.session }),
    ...(options.confirm && { confirm: true }),
  }
  const execution = await ask(connection, '/executions', Execution, { method: 'POST', body })
  if (options.detach) {
    await (options.json ? printJson(execution) : print(process.stdout, `${execution.id}\n`))
    if (execution.waitingApprovals > 0) await noteWaiting(connection, execution.id)
    return 0
  }
  return followToTheEnd(connection, execution.id, options.json ?? false)
}

async function followToTheEnd(connection: Connection, id: string, json: boolean): Promise<number> {
  const leave = new AbortController()
  const detach = () => leave.abort()
  process.once('SIGINT', detach)
  const ending = await followLog(connection, id, { quiet: json, signal: leave.signal })
  process.off('SIGINT', detach)
  if (!ending) {
    note(leaving(shortId(id)))
    return INTERRUPTED
  }
  if (json) await printJson(await ask(connection, `/executions/${id}`, Execution))
  else if (ending.status !== 'succeeded') note(told(screenOf(process.stderr, process.env), ending))
  return exitCodeOf(ending)
}

/** Whoever follows the log reads there what is asked. */
async function noteWaiting(connection: Connection, executionId: string): Promise<void> {
  const query = { executionId, status: 'waiting' }
  for (const { id, title } of await readAll(connection, '/approvals', query, Approval))
    note(`It waits for a yes to: ${inertLine(title)}
  signalbox approve ${shortId(id)}   say yes
  signalbox deny ${shortId(id)}      say no`)
}

const leaving = (id: string) => `
Detached; it goes on running.
  signalbox logs -f ${id}   follow it again
  signalbox stop ${id}      stop it`
