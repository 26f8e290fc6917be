const words: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ETIMEDOUT: 'nobody answers there',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  UND_ERR_SOCKET: 'the connection broke',
  UND_ERR_CONNECT_TIMEOUT: 'nobody answers there',
  UND_ERR_HEADERS_TIMEOUT: 'it sent nothing',
  UND_ERR_BODY_TIMEOUT: 'it sent nothing more',
}

/** Why nobody was reached, in words where the code is known; undefined where it is not. */
export function whyUnreachable(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined
  if (cause.message === 'bad port') return 'nobody may be asked at that port'
  const { code, errors } = cause as { code?: unknown; errors?: unknown }
  // A name with several addresses: each has failed in its own way.
  if (Array.isArray(errors) && errors.length > 0) return whyUnreachable(errors[0])
  if (typeof code !== 'string') return undefined
  return (
    words[code] ??
    (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code) ? 'its certificate is not trusted' : undefined)
  )
}
