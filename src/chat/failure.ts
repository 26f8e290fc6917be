import { AISDKError, APICallError, JSONParseError, TypeValidationError } from 'ai'
import { oneLine, theirWords } from './their-words.ts'

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
  /** An answer that never ends. */
  | 'endless'

interface More {
  status?: number | undefined
  retryAfterMs?: number | undefined
  cause?: unknown
}

/** Why a model did not answer, in words for people. */
export class ModelFailed extends Error {
  readonly kind: FailureKind
  /** What it answered with, where it was refused. */
  readonly status: number | undefined
  /** It may work if it is asked again, after this time. */
  readonly retryAfterMs: number | undefined
  constructor(kind: FailureKind, message: string, more: More = {}) {
    super(message, { cause: more.cause })
    this.name = 'ModelFailed'
    this.kind = kind
    this.status = more.status
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
const network =
  /ECONN|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|UND_ERR|socket|\bterminated\b|fetch failed|network error|bad port|Timeout Error/i

/** In whatever they say the key is left out that they were asked with. */
export function asModelFailed(error: unknown, provider: string, apiKey?: string): ModelFailed {
  const known = chainOf(error).find((one) => one instanceof ModelFailed)
  if (known) return known
  const told = innermost(error)
  const status = statusOf(told)
  if (status !== undefined && status >= 400) return byStatus(told, status, provider, apiKey)
  const message = messageOf(told)
  if (overflow.test(message)) return tooLong(provider, oneLine(message, apiKey), error)
  if (chainOf(told).some((one) => network.test(`${one.message} ${codeOf(one)}`)))
    return new ModelFailed('dropped', `The connection to ${provider} broke`, { cause: error })
  const what = whatCame(told, apiKey)
  return new ModelFailed(
    'garbled',
    `${provider} answered in a way that is not understood${what && `: ${what}`}`,
    { cause: error },
  )
}

function byStatus(error: unknown, status: number, provider: string, apiKey?: string): ModelFailed {
  const { responseHeaders, responseBody = '' } = APICallError.isInstance(error) ? error : {}
  const said = theirWords(responseBody, apiKey) || oneLine(messageOf(error), apiKey)
  const more = { status, cause: error, ...retryAfter(responseHeaders) }
  const words = `${messageOf(error)} ${responseBody}`
  const fails = (kind: FailureKind, what: string) =>
    new ModelFailed(kind, `${provider} ${what} (${status})${said && `: ${said}`}`, more)
  // Google says of a wrong key that the request is bad.
  if (status === 401 || (status === 400 && /API_KEY_INVALID|API key not valid/.test(words)))
    return fails('unauthorized', 'does not accept the key')
  if (status === 403) return fails('unauthorized', 'says that the key may not be used, or not for this model')
  if (status === 429) return fails('rate_limited', 'wants fewer requests')
  if (status === 413 || overflow.test(words)) return tooLong(provider, said, error)
  if (status === 408 || status === 409 || status >= 500) return fails('overloaded', 'has trouble')
  if (status === 404) return fails('bad_request', 'knows no such model, or no such address')
  return fails('bad_request', 'refused the request')
}

const tooLong = (provider: string, said: string, cause: unknown): ModelFailed =>
  new ModelFailed('overflow', `The conversation is too long for the model, says ${provider}: ${said}`, {
    cause,
  })

/** Whoever retried tells of all attempts; the last says what is wrong. */
function innermost(error: unknown): unknown {
  if (error instanceof Error && 'lastError' in error) return innermost(error.lastError)
  return error
}

/** It, and what it came from. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = []
  for (let one = error; one instanceof Error && chain.length < 10; one = one.cause) chain.push(one)
  return chain
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** In the middle of an answer errors come as objects of the kit, or as the provider has sent them. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { statusCode, code } = error as { statusCode?: unknown; code?: unknown }
  const status = [statusCode, code].map(Number).find((one) => one >= 100 && one < 600)
  return status === 200 ? undefined : status
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message
  return typeof error === 'string' ? error : theirWords(error)
}

/** The kit's words are for programmers. What the provider has sent can be told. */
function whatCame(error: unknown, apiKey?: string): string {
  for (const one of chainOf(error)) {
    if (JSONParseError.isInstance(one)) return oneLine(one.text, apiKey)
    if (TypeValidationError.isInstance(one))
      return theirWords(one.value, apiKey) || oneLine(JSON.stringify(one.value) ?? '', apiKey)
    if (APICallError.isInstance(one) && one.responseBody) return theirWords(one.responseBody, apiKey)
  }
  const isOfKit = chainOf(error).some((one) => AISDKError.isInstance(one) || one.constructor === Error)
  return isOfKit ? '' : oneLine(messageOf(error), apiKey)
}

/** In seconds, in milliseconds, or as a date. */
function retryAfter(headers: Record<string, string> = {}): { retryAfterMs?: number } {
  const exact = Number(headers['retry-after-ms'])
  if (Number.isFinite(exact) && exact > 0) return { retryAfterMs: exact }
  const given = headers['retry-after']
  if (given === undefined) return {}
  const seconds = Number(given)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(given) - Date.now()
  return Number.isFinite(ms) && ms >= 0 ? { retryAfterMs: ms } : {}
}
