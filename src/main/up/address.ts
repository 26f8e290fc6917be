import type { Config } from '#config/config.ts'
import { isLoopback } from '#lib/loopback.ts'

/** The address that a person's browser can open, given the one that web listens on. */
export function browserAddress(config: Pick<Config, 'publicUrl'>, listening: string): string {
  const url = new URL(listening)
  if (!isLoopback(url.hostname) && config.publicUrl) return config.publicUrl.replace(/\/+$/, '')
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  return url.origin
}
