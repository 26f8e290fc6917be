import type { SourceConfig } from '#contract/source.ts'
import { badSource } from './bad-source.ts'

/** A user and password in the address are sent as the header that they stand for, and never in the address itself. */
export function passwordAsHeader(config: SourceConfig, address: string): SourceConfig {
  const url = new URL(address)
  const { username, password } = url
  if (username === '' && password === '') return config
  if (config.auth || Object.keys(config.headers).some((name) => name.toLowerCase() === 'authorization'))
    throw badSource('url', 'has a user or password, and auth or headers say who we are too: keep one of them')
  url.username = url.password = ''
  const said = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
  return { ...config, url: url.href, headers: { ...config.headers, Authorization: `Basic ${said}` } }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // a plain % that nobody encoded
  }
}
