/** Where somebody wants to go. */
export interface Target {
  /** In one spelling: lower case, without a dot at its end, an address as numbers. */
  host: string
  port: number
}

/** A host in any spelling that a resolver would take, in the one of Target; an IPv6 address in brackets. Undefined when it is none. */
export function hostOf(text: string): string | undefined {
  if (!/^(\[[^\]@/?#]*\]|[^:@/?#\\\s]+)$/.test(text)) return undefined
  const url = URL.parse(`http://${text}`)
  return url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '') || undefined
}

/** `host:port`. Undefined when it is neither a name nor an address. */
export function targetOf(authority: string, usualPort?: number): Target | undefined {
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]+)(?::(\d{1,5}))?$/.exec(authority) ?? []
  const port = digits === undefined ? usualPort : Number(digits)
  const host = hostOf(name)
  if (!host || port === undefined || port < 1 || port > 65_535) return undefined
  return { host, port }
}

export const authorityOf = ({ host, port }: Target): string => `${inAddress(host)}:${port}`

/** As it stands in an address: IPv6 in brackets. */
export const inAddress = (host: string): string => (host.includes(':') ? `[${host}]` : host)
