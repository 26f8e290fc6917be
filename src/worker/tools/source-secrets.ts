import type { SourceConfig } from '#contract/source.ts'
import { passwordsIn } from '#lib/address-password.ts'
import { keepOutOfLogs, redact } from '#lib/redact.ts'
import { secrecyOf } from '#lib/secret-words.ts'
import { putAt, valueAt } from '#lib/tree.ts'
import type { Path } from '#lib/tree.ts'

// What of a source is secret: it is sealed apart, and everybody who looks sees only that it is there.

export const hidden = '•••'

/** Where each secret stands in the configuration, and what it is. */
export type SourceSecrets = [path: Path, value: string][]

/** Only names a variable, perhaps behind a word (`Bearer ${TOKEN}`): there is nothing to hide. */
export const isReference = (value: string): boolean => /^(?:[A-Za-z]+ )?\$\{[^}]+\}$/.test(value)

export function hideSecrets(config: SourceConfig): { config: SourceConfig; secrets: SourceSecrets } {
  const shown = structuredClone(config)
  const secrets: SourceSecrets = []
  const hide = (path: Path, as = hidden) => {
    const value = valueAt(config, path)
    if (typeof value !== 'string' || value === '' || isReference(value) || as === value) return
    putAt(shown, path, as)
    secrets.push([path, value])
  }
  for (const name of Object.keys(config.env)) hide(['env', name])
  for (const name of Object.keys(config.headers)) hide(['headers', name])
  hide(['auth', 'token'])
  hide(['auth', 'clientSecret'])
  if (config.url !== undefined) hide(['url'], withoutPassword(config.url))
  const harmless = redact(config.args)
  for (const [index, argument] of config.args.entries())
    if (Array.isArray(harmless) && harmless[index] !== argument) hide(['args', index])
  return { config: shown, secrets }
}

export function withSecrets(config: SourceConfig, secrets: SourceSecrets): SourceConfig {
  const whole = structuredClone(config)
  for (const [path, value] of secrets) {
    putAt(whole, path, value)
    keepOutOfLogs(value)
  }
  return whole
}

/** Somebody has sent back what they were shown: where the first such place is. */
export function shownAgain(config: SourceConfig): string | undefined {
  const values: [string, string | undefined][] = [
    ...Object.entries(config.env).map(([name, value]): [string, string] => [`env.${name}`, value]),
    ...Object.entries(config.headers).map(([name, value]): [string, string] => [`headers.${name}`, value]),
    ...config.args.map((value, index): [string, string] => [`args.${index}`, value]),
    ['auth.token', config.auth?.token],
    ['auth.clientSecret', config.auth?.clientSecret],
    ['url', config.url],
  ]
  return values.find(([, value]) => value?.includes(hidden))?.[0]
}

/** An address without the password, and without what its parameters call a key. */
function withoutPassword(url: string): string {
  let shown = url
  for (const password of passwordsIn(url)) shown = shown.replace(`:${password}@`, `:${hidden}@`)
  // A user alone is a key.
  shown = shown.replace(/(:\/\/)([^/?#:@]+)@/, (whole, before: string, user: string) =>
    isReference(user) ? whole : `${before}${hidden}@`,
  )
  return shown.replace(/([?&])([^=&#]+)=([^&#]+)/g, (whole, before: string, name: string, value: string) =>
    secrecyOf(name) === 'none' || isReference(value) ? whole : `${before}${name}=${hidden}`,
  )
}
