import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'
import type { CallHands, InputRequest, InputResponse } from '../port.ts'

/** Asks whoever called. Where nobody answers: a question to a person is taken back, roots are none, a model there is not. */
export async function answersTo(
  requests: Record<string, InputRequest>,
  hands: Pick<CallHands, 'ask'> | undefined,
): Promise<Record<string, InputResponse>> {
  try {
    if (hands?.ask) return await hands.ask(requests)
  } catch {
    // As if nobody were there.
  }
  const answers = Object.entries(requests).map(([key, { method }]) => [key, withoutAnybody(method)])
  return Object.fromEntries(answers)
}

function withoutAnybody(method: string): InputResponse {
  if (method === 'elicitation/create') return { action: 'cancel' }
  if (method === 'roots/list') return { roots: [] }
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Nobody is here to answer ${method}`)
}
