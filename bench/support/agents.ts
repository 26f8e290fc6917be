import type { Signalbox } from '../../test/support/signalbox.ts'

/** Registers a program with one capability, and answers with the capability's id. */
export async function registerCommand(
  box: Signalbox,
  name: string,
  [binaryPath = '', ...tokens]: string[],
  more: Record<string, unknown> = {},
): Promise<string> {
  const agent = await box.call('POST', '/agents', { name, binaryPath, workingDir: box.work })
  if (agent.status !== 201) throw new Error(`The agent ${name} was refused: ${JSON.stringify(agent.body)}`)
  const capability = await box.call('POST', `/agents/${agent.body.data.id}/capabilities`, {
    key: 'run',
    interactionMode: 'template',
    commandTokens: tokens.length > 0 ? tokens : [binaryPath],
    ...more,
  })
  if (capability.status !== 201)
    throw new Error(`Its capability was refused: ${JSON.stringify(capability.body)}`)
  return capability.body.data.id
}

export async function startExecution(box: Signalbox, capabilityId: string): Promise<string> {
  const { status, body } = await box.call('POST', '/executions', { capabilityId })
  if (status !== 201) throw new Error(`An execution was refused: ${JSON.stringify(body)}`)
  return body.data.id
}
