import type { ClientCapabilities } from '@modelcontextprotocol/server'
import type { InputRequest, InputResponse } from '#tools/port.ts'

export type InputRequests = Record<string, InputRequest>
export type InputResponses = Record<string, InputResponse>

/** Parts what a client said it can be asked from what it did not. */
export function partByCapability(
  requests: InputRequests,
  client: ClientCapabilities | undefined,
): { possible: InputRequests; impossible: InputRequests } {
  const entries = Object.entries(requests)
  const fits = ([, request]: [string, InputRequest]) => canBeAsked(request, client)
  return {
    possible: Object.fromEntries(entries.filter(fits)),
    impossible: Object.fromEntries(entries.filter((entry) => !fits(entry))),
  }
}

function canBeAsked({ method, params }: InputRequest, client: ClientCapabilities | undefined): boolean {
  if (method === 'roots/list') return client?.roots !== undefined
  if (method === 'sampling/createMessage')
    return client?.sampling !== undefined && (!params?.['tools'] || client.sampling.tools !== undefined)
  if (method !== 'elicitation/create' || !client?.elicitation) return false
  const { form, url } = client.elicitation
  // One that names no mode takes forms.
  return params?.['mode'] === 'url' ? url !== undefined : form !== undefined || url === undefined
}

/** What is answered in the place of somebody who cannot be asked, where MCP has words for that. */
export function unasked(requests: InputRequests): InputResponses | undefined {
  const answers: InputResponses = {}
  for (const [key, { method }] of Object.entries(requests)) {
    if (method === 'elicitation/create') answers[key] = { action: 'cancel' }
    else if (method === 'roots/list') answers[key] = { roots: [] }
    else return undefined
  }
  return answers
}

export const isEmpty = (record: object): boolean => Object.keys(record).length === 0
