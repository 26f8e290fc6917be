import type { Signalbox } from './signalbox.ts'

/** An agent that does what a prompt says in the language of the shell. */
export interface ShellAgent {
  /** Asks for an execution; answers with it as it was queued. */
  run(
    prompt: string,
    more?: { taskId?: string; sessionId?: string; workspaceId?: string },
  ): Promise<{ id: string; sessionId: string }>
}

export async function registerShell(signalbox: Signalbox, name = 'shell'): Promise<ShellAgent> {
  const agent = await made(signalbox, '/agents', { name, binaryPath: '/bin/sh' })
  const capability = await made(signalbox, `/agents/${agent.id}/capabilities`, {
    key: 'do',
    interactionMode: 'template',
    commandTokens: ['sh', '-c', '{{prompt}}'],
    maxOutputBytes: 104_857_600,
  })
  return {
    run: (prompt, more = {}) =>
      made(signalbox, '/executions', { capabilityId: capability.id, prompt, ...more }),
  }
}

async function made(signalbox: Signalbox, path: string, wanted: object) {
  const { status, body } = await signalbox.call('POST', path, wanted)
  if (status !== 201) throw new Error(`POST ${path} was answered with ${status}: ${JSON.stringify(body)}`)
  return body.data
}
