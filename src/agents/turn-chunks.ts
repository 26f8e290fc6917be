import type { AgentEvent, TurnEnd } from './port.ts'

// The chunks around every turn, the same for all agents: chat clients wait for them.

export const turnBegins: AgentEvent = { type: 'chunk', chunk: { type: 'start' } }

const finishReasons = { completed: 'stop', failed: 'error', interrupted: 'other' } as const

export function turnEnds({ reason, message }: TurnEnd): AgentEvent[] {
  const errorText = message ?? 'The agent could not do it'
  return [
    ...(reason === 'failed' ? [{ type: 'error', errorText }] : []),
    { type: 'finish', finishReason: finishReasons[reason] },
  ].map((chunk) => ({ type: 'chunk', chunk }))
}
