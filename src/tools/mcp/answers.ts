import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client'
import type { CallHands, InputRequest, InputResponse } from '../port.ts'
import { withDefaults } from './defaults.ts'

/** Asks whoever called. Where nobody answers: a question to a person is taken back, roots are none, a model there is not. */
export async function answersTo(
  requests: Record<string, InputRequest>,
  hands: Pick<CallHands, 'ask'> | undefined,
): Promise<Record<string, InputResponse>> {
  try {
    if (hands?.ask) {
      const given = Object.entries(await hands.ask(requests))
      return Object.fromEntries(given.map(([key, response]) => [key, completed(requests[key], response)]))
    }
  } catch {
    // As if nobody were there.
  }
  const answers = Object.entries(requests).map(([key, { method }]) => [key, withoutAnybody(method)])
  return Object.fromEntries(answers)
}

const completed = (request: InputRequest | undefined, response: InputResponse): InputResponse =>
  request ? withDefaults(request, response) : response

function withoutAnybody(method: string): InputResponse {
  if (method === 'elicitation/create') return { action: 'cancel' }
  if (method === 'roots/list') return { roots: [] }
  throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Nobody is here to answer ${method}`)
}
