import { passwordsIn } from './address-password.ts'
import { inertLine } from './inert-text.ts'
import { redact } from './redact.ts'
import { secrecyOf } from './secret-words.ts'

/** What somebody gave for one program or one address alone. Variables are filled in. */
interface Given {
  env?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  args?: readonly string[]
  url?: string | undefined
  auth?: { token?: string | undefined; clientSecret?: string | undefined } | undefined
}

/** Cuts these secrets out of what is told. */
export interface OwnSecrets {
  /** Of a text of which more may follow. */
  hide: (text: string) => string
  /** Of a text that is whole, or was cut off: also the beginning of a secret at its end goes. */
  hideAll: (text: string) => string
}

const [shortest, shortestAnywhere] = [4, 8]
/** Texts are cut where they are longer than this. */
const uncut = 100
const redacted = '[redacted]'

/** In every form in which they may come back. */
export function ownSecretsOf(given: Given): OwnSecrets {
  const values = [...new Set(secretsIn(given))].filter((value) => value.length >= shortest)
  const forms = [...new Set(values.flatMap(formsOf))]
    .filter((form) => form.length >= shortest)
    .toSorted((one, other) => other.length - one.length)
  const hide = (text: string) => forms.reduce(without, text)
  return { hide, hideAll: (text) => withoutBeginning(hide(text), forms) }
}

function secretsIn({ env = {}, headers = {}, args = [], url, auth }: Given): string[] {
  const given = [...Object.values(env), ...Object.values(headers), auth?.token, auth?.clientSecret]
  const whole = given.filter((value) => value !== undefined)
  const harmless = redact(args)
  const keys = args.filter((argument, at) => Array.isArray(harmless) && harmless[at] !== argument)
  return [
    ...whole.flatMap((value) => [value, ...partsOf(value), ...passwordsIn(value)]),
    ...keys.flatMap((key) => [key, key.slice(key.indexOf('=') + 1), ...passwordsIn(key)]),
    ...(url === undefined ? [] : secretsOfAddress(url)),
  ]
}

/** `Bearer KEY`, `Basic BASE64`, `user:password`. */
function partsOf(value: string): string[] {
  const [, scheme = '', key = ''] = /^(\w+) +(\S+)\s*$/.exec(value) ?? []
  const said = /^basic$/i.test(scheme) ? Buffer.from(key, 'base64').toString('utf8') : value
  const [, password = ''] = /^[^\s:/]+:(\S+)$/.exec(said) ?? []
  return [key, password, ...(said === value ? [] : [said])]
}

function secretsOfAddress(url: string): string[] {
  const { username = '', password = '', searchParams } = URL.parse(url) ?? {}
  const [user, key] = [decoded(username), decoded(password)]
  const named = [...(searchParams ?? [])].flatMap(([name, value]) =>
    secrecyOf(name) === 'none' ? [] : [value],
  )
  const both = username || password ? [`${user}:${key}`] : []
  return [...passwordsIn(url), password, key, ...(password ? [] : [user]), ...both, ...named]
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  const lines = value.includes('\n') ? value.split(/\s*\n\s*/) : []
  return [
    value,
    value.trim(),
    inertLine(value).trim(),
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    ...lines,
  ]
}

/** Short ones (`info`, `8080`) are found as words only, lest they cut up others. */
function without(text: string, form: string): string {
  if (!text.includes(form)) return text
  if (form.length >= shortestAnywhere) return text.replaceAll(form, redacted)
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])${form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`,
    'gu',
  )
  return text.replace(pattern, redacted)
}

function withoutBeginning(text: string, forms: readonly string[]): string {
  if (text.length < uncut) return text
  const end = /[…"'\s)]*$/.exec(text)?.index ?? text.length
  const said = text.slice(0, end)
  for (const form of forms)
    for (let length = form.length - 1; length >= shortest; length -= 1)
      if (said.endsWith(form.slice(0, length)))
        return said.slice(0, said.length - length) + redacted + text.slice(end)
  return text
}
