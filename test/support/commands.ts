import { setTimeout as wait } from 'node:timers/promises'
import type { Execution } from '#contract/execution.ts'
import { isLive } from '#contract/execution.ts'
import type { Signalbox } from './signalbox.ts'

/** What a test needs of a Signalbox to run commands on it. */
type Box = Pick<Signalbox, 'call' | 'work'>

let named = 0

/** Registers `sh -c SCRIPT` as an agent, and answers with the id of its one capability. */
export async function registerScript(
  box: Box,
  script: string,
  { agent = {}, capability = {} }: { agent?: object; capability?: object } = {},
): Promise<string> {
  const registered = await box.call('POST', '/agents', {
    name: `script-${++named}`,
    binaryPath: '/bin/sh',
    workingDir: box.work,
    ...agent,
  })
  if (registered.status !== 201) throw new Error(JSON.stringify(registered.body))
  const made = await box.call('POST', `/agents/${registered.body.data.id}/capabilities`, {
    key: 'run',
    interactionMode: 'template',
    commandTokens: ['sh', '-c', script],
    ...capability,
  })
  if (made.status !== 201) throw new Error(JSON.stringify(made.body))
  return made.body.data.id
}

export async function startExecution(box: Box, capabilityId: string, more: object = {}): Promise<Execution> {
  const { status, body } = await box.call('POST', '/executions', { capabilityId, ...more })
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.data
}

export async function readExecution(box: Box, id: string): Promise<Execution> {
  return (await box.call('GET', `/executions/${id}`)).body.data
}

/** Resolves with the execution once it fits; web may be away in between. */
export async function untilExecution(
  box: Box,
  id: string,
  fits: (execution: Execution) => boolean,
  patienceMs = 20_000,
): Promise<Execution> {
  let last: Execution | undefined
  for (const late = Date.now() + patienceMs; Date.now() < late; await wait(50)) {
    last = (await readExecution(box, id).catch(() => undefined)) ?? last
    if (last && fits(last)) return last
  }
  throw new Error(`The execution is still ${JSON.stringify(last)}`)
}

export const untilEnded = (box: Box, id: string, patienceMs?: number): Promise<Execution> =>
  untilExecution(box, id, ({ status }) => !isLive(status), patienceMs)

/** Runs a script to its end. */
export async function runScript(box: Box, script: string, options?: Parameters<typeof registerScript>[2]) {
  const { id } = await startExecution(box, await registerScript(box, script, options))
  return untilEnded(box, id)
}

export async function logOf(box: Pick<Signalbox, 'url' | 'token'>, id: string): Promise<string> {
  const response = await fetch(`${box.url}/api/v1/executions/${id}/logs`, {
    headers: { authorization: `Bearer ${box.token}` },
  })
  return response.text()
}
