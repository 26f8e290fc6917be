import type { Agent } from '../../../src/contract/agent.ts'

const known = new Set(['claude', 'codex', 'gemini', 'opencode'])

/** Whether an agent has an interface for people that is known, so that a session with it can be taken over. */
export function hasOwnInterface({
  preset,
  adapter,
  binaryPath,
}: Pick<Agent, 'preset' | 'adapter' | 'binaryPath'>): boolean {
  return known.has(preset ?? (adapter === 'acp' ? (binaryPath?.split('/').at(-1) ?? '') : adapter))
}
