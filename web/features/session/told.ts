import type { StreamEvent } from '../../../src/contract/event.ts'

export type Fields = Record<string, unknown>

/** An event of a session's stream. What is in it was said by an agent, so nothing is taken for granted. */
export type Told = Pick<StreamEvent, 'seq' | 'executionId' | 'type' | 'at'> & { fields: Fields }

export function toldBy({ payload, ...event }: StreamEvent): Told {
  return { ...event, fields: (typeof payload === 'object' && payload !== null ? payload : {}) as Fields }
}

export const words = (value: unknown): string => (typeof value === 'string' ? value : '')

export const listed = (value: unknown): Fields[] =>
  Array.isArray(value)
    ? value.filter((each): each is Fields => typeof each === 'object' && each !== null)
    : []

/** By what a tool call is found: agents use the same ids again in other turns. */
export const toolName = (executionId: string | null, fields: Fields): string =>
  `${executionId} tool ${words(fields['toolCallId'])}`
