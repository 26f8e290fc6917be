import {
  InsufficientScopeError,
  ProtocolError,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { inertLine } from '#lib/inert-text.ts'
import { CallFailed } from '../port.ts'
import { causeOf, codeIn, networkSentence, sdkSentence } from './error-words.ts'
import { longestWords, noAnswer, tooDeep } from './limits.ts'

/** Any failure of an upstream as one of ours, with a sentence that says what happened. */
export function asCallFailed(error: unknown): CallFailed {
  if (error instanceof CallFailed) return error
  const inner = causeOf(error)
  if (inner instanceof CallFailed) return inner
  if (error instanceof InsufficientScopeError)
    return new CallFailed('source_unauthorized', 'It wants us to be allowed more than we are', {
      isUnsent: true,
      context: { neededScope: error.requiredScope ?? '' },
    })
  if (error instanceof UnauthorizedError)
    return new CallFailed('source_unauthorized', 'It does not let us in: somebody has to log in there', {
      isUnsent: true,
    })
  if (error instanceof ProtocolError) return answeredWithError(error)
  if (isNoAnswer(error)) return new CallFailed('source_failed', noAnswer)
  if (error instanceof RangeError) return new CallFailed('source_failed', tooDeep)
  const status = statusOf(error)
  if (status !== undefined) return answeredWithStatus(status, error)
  const network = networkSentence(codeIn(error))
  if (network) return new CallFailed('source_unavailable', network.told, { isUnsent: network.isUnsent })
  return new CallFailed('source_failed', shortened(sdkSentence(error)))
}

function answeredWithError({ code, message, data }: ProtocolError): CallFailed {
  const context = { code, ...(data !== undefined && { data }) }
  return new CallFailed('source_failed', shortened(`It answered with an error: ${message} (${code})`), {
    context,
  })
}

function answeredWithStatus(status: number, error: unknown): CallFailed {
  if (status === 401 || status === 403) {
    const told = `It does not let us in (HTTP ${status}): check its token or headers, or log in there`
    return new CallFailed('source_unauthorized', told, { isUnsent: true })
  }
  // Of a session that it has forgotten nothing was done.
  if (status === 404)
    return new CallFailed('source_unavailable', 'It answered with HTTP 404', { isUnsent: true })
  const text = error instanceof SdkHttpError ? error.data['text'] : undefined
  const said = typeof text === 'string' && text ? `: ${text}` : ''
  const isTooBusy = status === 429 || status === 503
  return new CallFailed(
    isTooBusy ? 'source_unavailable' : 'source_failed',
    shortened(`It answered with HTTP ${status}${said}`),
    { isUnsent: isTooBusy, context: { status } },
  )
}

export function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status
  if (error instanceof SseError && error.code !== undefined && error.code >= 300) return error.code
  return undefined
}

/** It does not know our session any more, and so has done nothing. */
export class SessionLost extends CallFailed {
  constructor() {
    super('source_unavailable', 'It does not know our session any more, as after a restart', {
      isUnsent: true,
    })
  }
}

/** 404 by the protocol; many say 400 and that they miss one. Only where we had a session. */
export function saysSessionIsLost(error: unknown): boolean {
  const status = statusOf(error)
  const text = error instanceof SdkHttpError ? error.data['text'] : undefined
  return status === 404 || (status === 400 && typeof text === 'string' && missesSession.test(text))
}
const missesSession = /session|not initialized/i

/** What came in the place of an answer (`"result": null`) is none by the protocol. */
export const isNoAnswer = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'ZodError' &&
  'issues' in error &&
  /"keys":\["(?:result|error)"\]/.test(JSON.stringify(error.issues))

/** One line, not too long, that can be shown anywhere. */
export const shortened = (text: string): string => {
  const line = inertLine(text).trim()
  return line.length > longestWords ? `${line.slice(0, longestWords - 1)}…` : line
}

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
