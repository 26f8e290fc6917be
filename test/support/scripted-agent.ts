import { dirname, join } from 'node:path'
import type { Signalbox } from './signalbox.ts'

// The scripted ACP agent as an agent of a running Signalbox: every line of a prompt is one thing that it does.

const script = join(import.meta.dirname, 'scripted-acp-agent.ts')

/** What a Signalbox is started with so that it may run the scripted agent. */
export const scriptedEnv = (store: string): Record<string, string> => ({
  ALLOWED_BINARY_DIRS: `${dirname(process.execPath)}:/usr/bin`,
  SCRIPTED_STORE: store,
})

/** Started with these variables, whatever the others are started with. */
export const scriptedWith = (...variables: string[]) => ({
  binaryPath: '/usr/bin/env',
  args: [...variables, process.execPath, script],
})

export interface ScriptedAgent {
  agentId: string
  capabilityId: string
}

export async function registerScripted(
  box: Signalbox,
  more: Record<string, unknown> = {},
): Promise<ScriptedAgent> {
  const { status, body } = await box.call('POST', '/agents', {
    name: 'scripted',
    kind: 'coding',
    adapter: 'acp',
    binaryPath: process.execPath,
    args: [script],
    envAllowlist: ['SCRIPTED_STORE', 'SCRIPTED_CAN', 'SCRIPTED_RECORD', 'SCRIPTED_PLAYS'],
    workingDir: box.work,
    ...more,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const agentId: string = body.data.id
  const added = await box.call('POST', `/agents/${agentId}/capabilities`, {
    key: 'ask',
    interactionMode: 'prompt',
    timeoutSec: 600,
    maxOutputBytes: 200_000_000,
  })
  if (added.status !== 201) throw new Error(JSON.stringify(added.body))
  return { agentId, capabilityId: added.body.data.id }
}
