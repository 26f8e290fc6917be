import { CodeFailed } from '#codemode/port.ts'
import { authorityOf } from '#lib/target.ts'
import type { Target } from '#lib/target.ts'

const inWords: Record<string, string> = {
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name could not be looked up',
  ECONNREFUSED: 'it refused the connection',
  ECONNRESET: 'it broke off the connection',
  EPIPE: 'it broke off the connection',
  ETIMEDOUT: 'it could not be reached in time',
  ENETUNREACH: 'there is no way to its network',
  EHOSTUNREACH: 'there is no way to it',
  HPE_HEADER_OVERFLOW: 'the headers of its answer are too large',
}
/** The way there failed: it may be better the next time. */
const passing = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
])

export const isPassing = (error: unknown): boolean => passing.has(codeOf(error) ?? '')

/** What went wrong on the way, as code sees it; what was refused stays as it is. */
export function asNetworkFailure(error: unknown, host: string, tries: number): CodeFailed {
  if (error instanceof CodeFailed) return error
  const code = codeOf(error) ?? 'failed'
  const why =
    inWords[code] ??
    (/CERT|TLS|SSL|ALTNAME/.test(code) ? `its certificate is not accepted (${code})` : whyNot(code))
  return networkFailed(code, `${host} could not be asked: ${why}`, { host, tries })
}

const whyNot = (code: string) =>
  code.startsWith('HPE_') || code.startsWith('Z_') || code.startsWith('ERR_')
    ? `its answer cannot be read (${code})`
    : `the connection failed (${code})`

/** The errors of several addresses are told by the first. */
function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export const networkFailed = (reason: string, message: string, details: Record<string, unknown> = {}) =>
  new CodeFailed('network', 'NETWORK_ERROR', message, { reason, ...details })

/** It is not that it failed: it may not be done. */
export function notAllowed(target: Target, why: string, capability?: string): CodeFailed {
  const place = authorityOf(target)
  return new CodeFailed('security', 'CAPABILITY_VIOLATION', `This code may not call ${place}: ${why}`, {
    host: target.host,
    port: target.port,
    ...(capability !== undefined && { capability }),
  })
}
