import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { inertLine } from '#lib/inert-text.ts'
import { CallFailed } from '../port.ts'
import { longestWords, noAnswer } from './limits.ts'

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

/** The codes of the system and of undici, in the words of people. */
function networkSentence(code: string | undefined): { told: string; isUnsent: boolean } | undefined {
  if (code === undefined) return undefined
  const unsent = (told: string) => ({ told, isUnsent: true })
  if (code === 'ECONNREFUSED') return unsent('Nobody listens at its address (connection refused)')
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return unsent('The name of its host is not known (DNS)')
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return unsent('There is no way to its host')
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return unsent('Its host did not answer in time')
  if (/CERT|SIGNATURE|^ERR_TLS|^ERR_SSL|^EPROTO$|SELF_SIGNED/.test(code))
    return unsent(`No secure connection could be made to it (TLS: ${code})`)
  if (['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(code))
    return { told: 'The connection was cut', isUnsent: false }
  if (/^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code))
    return { told: 'It said nothing for too long', isUnsent: false }
  return undefined
}

const causeOf = (error: unknown): unknown => {
  if (!(error instanceof Error)) return undefined
  if (error.cause !== undefined) return error.cause
  if (error instanceof SdkError && typeof error.data === 'object' && error.data && 'cause' in error.data)
    return error.data.cause
  return undefined
}

function codeIn(error: unknown): string | undefined {
  for (let at = error, depth = 0; at !== undefined && depth < 5; at = causeOf(at), depth += 1)
    if (
      at instanceof Error &&
      'code' in at &&
      typeof at.code === 'string' &&
      /^[A-Z][A-Z0-9_]+$/.test(at.code)
    )
      if (!sdkCodes.has(at.code)) return at.code
  return undefined
}
const sdkCodes: ReadonlySet<string> = new Set(Object.values(SdkErrorCode))

function sdkSentence(error: unknown): string {
  if (error instanceof SseError) return 'The stream of its messages could not be opened, or was cut'
  if (error instanceof TypeError && error.message === 'fetch failed') return 'It could not be reached'
  if (error instanceof SyntaxError) return 'What answers there does not speak MCP: its answer is no JSON'
  if (!(error instanceof SdkError)) return error instanceof Error ? error.message : String(error)
  if (error.code === SdkErrorCode.ConnectionClosed) return 'The connection was closed before it answered'
  if (error.code === SdkErrorCode.RequestTimeout) return 'It did not answer in time'
  if (error.code === SdkErrorCode.ClientHttpUnexpectedContent)
    return `What answers there does not speak MCP (${error.message})`
  if (error.code === SdkErrorCode.EraNegotiationFailed)
    return error.message.includes('unusable reply')
      ? 'What answers there does not speak MCP: its first answer was not understood'
      : 'The connection was closed before a version of MCP was agreed on'
  if (error.code === SdkErrorCode.InvalidResult) return `Its answer is not one of MCP: ${error.message}`
  return error.message
}

/** One line, not too long, that can be shown anywhere. */
export const shortened = (text: string): string => {
  const line = inertLine(text).trim()
  return line.length > longestWords ? `${line.slice(0, longestWords - 1)}…` : line
}

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
