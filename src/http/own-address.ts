import { isIPv6 } from 'node:net'
import type { Config } from '#config/config.ts'
import { isLoopback } from '#lib/loopback.ts'

export interface OwnAddress {
  /** As a browser writes them into the Host header: `localhost:4100`, `signalbox.example.com`. */
  hosts: ReadonlySet<string>
  /** As a browser writes them into the Origin header. */
  origins: ReadonlySet<string>
}

/**
 * The names by which we are to be called: the address we listen on, the names of this machine if it can be reached by
 * them, and PUBLIC_URL. Whoever calls us by another name was led here by a DNS record that is not ours.
 */
export function ownAddress({
  host,
  port,
  publicUrl,
}: Pick<Config, 'host' | 'port' | 'publicUrl'>): OwnAddress {
  const names = [isIPv6(host) ? `[${host}]` : host.toLowerCase()]
  if (isOfThisMachine(host)) names.push('localhost', '127.0.0.1', '[::1]')
  const hosts = new Set(names.flatMap((name) => withPort(name, String(port), 'http:')))
  const origins = new Set([...hosts].map((name) => `http://${name}`))
  if (publicUrl) {
    const { hostname, port: publicPort, protocol, origin } = new URL(publicUrl)
    for (const name of withPort(hostname, publicPort, protocol)) hosts.add(name)
    origins.add(origin)
  }
  return { hosts, origins }
}

const isOfThisMachine = (host: string) => isLoopback(host) || host === '0.0.0.0' || host === '::'

/** The port may be left out where it is the usual one, and only there. */
function withPort(name: string, port: string, protocol: string): string[] {
  const usual = protocol === 'https:' ? '443' : '80'
  return port === '' || port === usual ? [name, `${name}:${usual}`] : [`${name}:${port}`]
}
