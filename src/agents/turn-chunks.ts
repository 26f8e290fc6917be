import type { AgentEvent, TurnEnd } from './port.ts'

// The chunks around every turn, the same for all agents: chat clients wait for them.

export const turnBegins: AgentEvent = { type: 'chunk', chunk: { type: 'start' } }

const finishReasons = { completed: 'stop', failed: 'error', interrupted: 'other' } as const

export function turnEnds({ reason, message }: TurnEnd): AgentEvent[] {
  return [
    // Without a word of why it has been ended by somebody, and that is told elsewhere.
    ...(reason === 'failed' && message !== null ? [{ type: 'error', errorText: message }] : []),
    { type: 'finish', finishReason: finishReasons[reason] },
  ].map((chunk) => ({ type: 'chunk', chunk }))
}
