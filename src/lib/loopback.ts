import { isIPv4 } from 'node:net'

/** Whether only this machine can be reached at a host, written plain (`::1`) or as in an address (`[::1]`). */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}
