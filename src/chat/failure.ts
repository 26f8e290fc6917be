import { APICallError } from 'ai'

export type FailureKind =
  /** The key is wrong, or may not use the model. */
  | 'unauthorized'
  | 'rate_limited'
  /** The provider has trouble of its own. */
  | 'overloaded'
  /** What the model was shown is longer than its window. */
  | 'overflow'
  | 'bad_request'
  /** The connection broke, or was never there. */
  | 'dropped'
  /** An answer that nobody understands. */
  | 'garbled'

/** Why a model did not answer, in words for people. */
export class ModelFailed extends Error {
  readonly kind: FailureKind
  /** It may work if it is asked again, after this time. */
  readonly retryAfterMs: number | undefined
  constructor(kind: FailureKind, message: string, more: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: more.cause })
    this.name = 'ModelFailed'
    this.kind = kind
    this.retryAfterMs = more.retryAfterMs
  }

  /** Asked again later, the same may be answered. */
  get isPassing(): boolean {
    return this.kind === 'rate_limited' || this.kind === 'overloaded' || this.kind === 'dropped'
  }
}

/** As the providers say it, each in its own words. */
const overflow =
  /context.{0,20}(length|window|size)|prompt is too long|too many tokens|input token count|maximum context|exceeds? the (model|maximum).{0,30}(token|length)|request_too_large/i
const network = /ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|socket|\bterminated\b|fetch failed|network error/i

export function asModelFailed(error: unknown, provider: string): ModelFailed {
  if (error instanceof ModelFailed) return error
  const told = innermost(error)
  if (APICallError.isInstance(told) && (told.statusCode ?? 0) >= 400)
    return byStatus(told, told.statusCode ?? 0, provider)
  const message = told instanceof Error ? told.message : String(told)
  if (overflow.test(message)) return tooLong(provider, message, error)
  if (network.test(`${message} ${codeOf(told)}`))
    return new ModelFailed('dropped', `The connection to ${provider} broke: ${oneLine(message)}`, {
      cause: error,
    })
  return new ModelFailed(
    'garbled',
    `${provider} answered in a way that is not understood: ${oneLine(message)}`,
    {
      cause: error,
    },
  )
}

function byStatus(error: APICallError, status: number, provider: string): ModelFailed {
  const said = oneLine(error.message)
  const more = { cause: error, ...retryAfter(error.responseHeaders) }
  const words = `${error.message} ${error.responseBody ?? ''}`
  if (status === 401 || status === 403)
    return new ModelFailed('unauthorized', `${provider} does not accept the key (${status}): ${said}`, more)
  if (status === 429)
    return new ModelFailed('rate_limited', `${provider} wants fewer requests (429): ${said}`, more)
  if (status === 413 || overflow.test(words)) return tooLong(provider, said, error)
  if (status === 408 || status === 409 || status >= 500)
    return new ModelFailed('overloaded', `${provider} has trouble (${status}): ${said}`, more)
  return new ModelFailed('bad_request', `${provider} refused the request (${status}): ${said}`, more)
}

const tooLong = (provider: string, said: string, cause: unknown): ModelFailed =>
  new ModelFailed(
    'overflow',
    `The conversation is too long for the model, says ${provider}: ${oneLine(said)}`,
    { cause },
  )

/** Whoever retried tells of all attempts; the last says what is wrong. */
function innermost(error: unknown): unknown {
  if (error instanceof Error && 'lastError' in error) return innermost(error.lastError)
  return error
}

const codeOf = (error: unknown): string => {
  const { cause } = error instanceof Error ? error : {}
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return `${cause instanceof Error ? cause.message : ''} ${typeof code === 'string' ? code : ''}`
}

const longestWaitMs = 120_000

/** In seconds, in milliseconds, or as a date. */
function retryAfter(headers: Record<string, string> = {}): { retryAfterMs?: number } {
  const exact = Number(headers['retry-after-ms'])
  if (Number.isFinite(exact) && exact > 0) return { retryAfterMs: Math.min(exact, longestWaitMs) }
  const given = headers['retry-after']
  if (given === undefined) return {}
  const seconds = Number(given)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(given) - Date.now()
  return Number.isFinite(ms) && ms >= 0 ? { retryAfterMs: Math.min(ms, longestWaitMs) } : {}
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 300)
