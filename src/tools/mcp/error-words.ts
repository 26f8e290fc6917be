import { SdkError, SdkErrorCode, SseError } from '@modelcontextprotocol/client'

// What libraries throw, in the words of people.

/** The codes of the system and of undici, in the words of people. */
export function networkSentence(code: string | undefined): { told: string; isUnsent: boolean } | undefined {
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

export const causeOf = (error: unknown): unknown => {
  if (!(error instanceof Error)) return undefined
  if (error.cause !== undefined) return error.cause
  if (error instanceof SdkError && typeof error.data === 'object' && error.data && 'cause' in error.data)
    return error.data.cause
  return undefined
}

export function codeIn(error: unknown): string | undefined {
  if (error instanceof SseError) return codeInWords(error)
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
/** The transport of 2024 tells only by its words. */
function codeInWords({ message }: SseError): string | undefined {
  if (message.endsWith('other side closed')) return 'UND_ERR_SOCKET'
  return /\b(?:E[A-Z]{4,}|EAI_AGAIN|UND_ERR_[A-Z_]+|[A-Z_]*CERT[A-Z_]*)\b/.exec(message)?.[0]
}
const sdkCodes: ReadonlySet<string> = new Set(Object.values(SdkErrorCode))

const notMcp = 'What answers there does not speak MCP'

export function sdkSentence(error: unknown): string {
  if (error instanceof SseError)
    return /content type|Non-200/.test(error.message)
      ? `${notMcp}, or not over SSE`
      : 'It closed the stream of its messages'
  if (isFetchFailure(error)) return unreachable(error)
  if (isMisread(error)) return `${notMcp}: its answer was not understood`
  if (!(error instanceof SdkError)) return error instanceof Error ? error.message : String(error)
  if (error.code === SdkErrorCode.ConnectionClosed) return 'The connection was closed before it answered'
  if (error.code === SdkErrorCode.RequestTimeout) return 'It did not answer in time'
  if (error.code === SdkErrorCode.ClientHttpUnexpectedContent) return `${notMcp} (${error.message})`
  if (error.code === SdkErrorCode.EraNegotiationFailed) return noEra(error)
  if (error.code === SdkErrorCode.InvalidResult) return `Its answer is not one of MCP: ${error.message}`
  return error.message
}

function noEra(error: SdkError): string {
  const cause = causeOf(error)
  if (isFetchFailure(cause)) return unreachable(cause)
  return isMisread(cause) || error.message.includes('unusable reply')
    ? `${notMcp}: its first answer was not understood`
    : 'The connection was closed before a version of MCP was agreed on'
}

const isFetchFailure = (error: unknown): error is TypeError =>
  error instanceof TypeError && error.message === 'fetch failed'
const unreachable = ({ cause }: TypeError): string =>
  cause instanceof Error && cause.message === 'bad port'
    ? 'Its port is one that is not used for HTTP'
    : 'It could not be reached'
/** Not JSON, or not of the shape of a message. */
const isMisread = (error: unknown): boolean =>
  error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')
