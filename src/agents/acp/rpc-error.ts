import { isObject, textIn } from './json-value.ts'

export const methodNotFound = -32601
export const invalidParams = -32602
export const requestCancelled = -32800
export const authRequired = -32000

/** The other side answered with an error. The message is the innermost that people can read. */
export class RpcError extends Error {
  readonly code: number

  constructor(error: unknown) {
    super(innermostMessage(error))
    this.code = isObject(error) && typeof error['code'] === 'number' ? error['code'] : 0
  }
}

/** The other side is gone: no answer will come. */
export class Gone extends Error {}

/** Gemini puts the provider's JSON into the message, others theirs behind "Internal error". */
function innermostMessage(error: unknown): string {
  const message = textIn(error, 'message')?.trim() ?? ''
  const details = isObject(error) ? textIn(error['data'], 'details') : undefined
  const said = unwrap(message).replace(/^internal error:?\s*/i, '')
  return oneLine(said || details || message || 'the agent gave no reason')
}

function unwrap(message: string): string {
  if (!message.startsWith('{')) return message
  try {
    const parsed: unknown = JSON.parse(message)
    const inner = isObject(parsed) && isObject(parsed['error']) ? parsed['error'] : parsed
    const said = textIn(inner, 'message')
    return said === undefined ? message : unwrap(said)
  } catch {
    return message
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 1000)
