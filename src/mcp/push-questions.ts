import { randomUUID } from 'node:crypto'
import type { ClientCapabilities, ServerContext } from '@modelcontextprotocol/server'
import type { AskedBy, InputRequest, InputResponse } from '#tools/port.ts'
import { isEmpty, partByCapability, unasked } from './input-requests.ts'
import type { InputRequests, InputResponses } from './input-requests.ts'
import type { AskInstead } from './talk.ts'

const patienceMs = 600_000

/** Asks a client of 2025 while its request is open, as its protocol has it: by a request of ours on the same stream. */
export function pushQuestions(
  ctx: ServerContext,
  client: () => ClientCapabilities | undefined,
  askInstead: AskInstead,
): (requests: InputRequests, by?: AskedBy) => Promise<InputResponses> {
  const { signal } = ctx.mcpReq
  return async (requests, by) => {
    const { possible, impossible } = partByCapability(requests, client())
    const others = isEmpty(impossible) ? {} : await askInstead(impossible, by, signal)
    const instead = others ?? (isEmpty(possible) ? undefined : unasked(impossible))
    if (!instead) throw new Error('The client cannot be asked, and nobody else is there to answer')
    const asked = Object.entries(possible).map(async ([key, request]) => [key, await push(ctx, request)])
    return { ...instead, ...(Object.fromEntries(await Promise.all(asked)) as InputResponses) }
  }
}

function push({ mcpReq }: ServerContext, { method, params = {} }: InputRequest): Promise<InputResponse> {
  const options = { signal: mcpReq.signal, timeout: patienceMs }
  if (method === 'roots/list') return mcpReq.send({ method: 'roots/list' }, options)
  if (method === 'sampling/createMessage')
    return mcpReq.send({ method: 'sampling/createMessage', params }, options)
  // This protocol wants a name for each page that is to be opened; the next one has none.
  const named = params['mode'] === 'url' ? { elicitationId: randomUUID(), ...params } : params
  return mcpReq.send({ method: 'elicitation/create', params: named }, options)
}
