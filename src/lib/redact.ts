import { passwordsIn } from './address-password.ts'
import { secrecyOf } from './secret-words.ts'

const REDACTED = '[redacted]'

const words = 'password|passwd|passphrase|secret|api[-_]?key|private[-_]?key'
// What may stand between a name and its value: nothing, or quotes, or the escaped quotes of JSON inside a text.
const quote = String.raw`\\{0,8}["']?`
const value = String.raw`[^\s"',;&}\\]`

// What a secret looks like inside a text, whatever the text is. Each takes time in proportion to the text: none begins
// with a repetition, and none has two that could share the same characters.
const patterns: [RegExp, string][] = [
  [/\b(bearer)\s+[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/\b([Bb]asic|[Dd]igest|[Nn]egotiate)\s+(?=[a-z]*[\dA-Z=+/])[\w.~+/=-]{8,}/g, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, REDACTED], // a JWT
  [/\b(?:sk[-_]|gh[pousr]_|github_pat_|glpat-|xox[abposr]-|AIza)[\w-]{16,}/g, REDACTED], // well-known keys
  [/\bsb[a-z]{3,10}_[\w-]{40,}/g, REDACTED], // one of ours
  [/(:\/\/[^\s/:@"']*):[^\s/"']+@/g, `$1:${REDACTED}@`], // scheme://user:password@host
  [/([?&#;][\w-]*(?:token|ticket|secret|password|key|signature|jwt))=[^&\s"'<>\\#]+/gi, `$1=${REDACTED}`],
  [/((?:authorization|cookie|x-[\w-]{0,40}(?:key|token|secret)):[ \t]*)[^\r\n"']+/gi, `$1${REDACTED}`],
  [new RegExp(`((?:${words}|token)${quote}\\s?=\\s?${quote})${value}+`, 'gi'), `$1${REDACTED}`],
  [new RegExp(`((?:${words})${quote}\\s?:\\s?${quote})${value}+`, 'gi'), `$1${REDACTED}`],
  [new RegExp(`(token${quote}\\s?:\\s?${quote})${value}{12,}`, 'gi'), `$1${REDACTED}`],
  [/-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, REDACTED],
]

const known = new Set<string>()

/** From now on these values are cut out of every log line, wherever they stand. Short ones would cut too much. */
export function keepOutOfLogs(...secrets: (string | undefined)[]): void {
  for (const secret of secrets) {
    if (secret === undefined || secret.length < 8) continue
    known.add(secret)
    known.add(encodeURIComponent(secret))
  }
}

/** Where the shell stands and stood: `pwd` is no password here. */
const folders = new Set(['PWD', 'OLDPWD'])

/** Learns the secrets among the variables of this process, by their names. */
export function keepVariablesOutOfLogs(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (folders.has(name)) continue
    if (secrecyOf(name) !== 'none') keepOutOfLogs(value)
    if (value?.includes('://')) keepOutOfLogs(...passwordsIn(value))
  }
}

export function redactText(text: string): string {
  if (text.length < 8) return text
  let result = text
  for (const secret of known) if (result.includes(secret)) result = result.replaceAll(secret, REDACTED)
  for (const [pattern, replacement] of patterns) result = result.replace(pattern, replacement)
  return result
}

/** A copy without secrets: by the names of fields at any depth, and by what stands in texts. */
export function redact(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) {
    // `--password`, `hunter2` and `x-api-key`, `abc`: the name is one entry, the secret the next.
    return value.map((entry, index) => {
      const before: unknown = value[index - 1]
      const named = typeof before === 'string' && before.length < 100 && /^[\w-]+$/.test(before)
      return named && typeof entry === 'string' && secrecyOf(before) !== 'none' ? REDACTED : redact(entry)
    })
  }
  if (typeof value !== 'object' || value === null) return value
  if ('type' in value && value.type === 'Buffer' && 'data' in value && Array.isArray(value.data))
    return `[${value.data.length} bytes]`
  const pair = 'name' in value && typeof value.name === 'string' ? secrecyOf(value.name) : 'none'
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const secrecy = key === 'value' && pair !== 'none' ? pair : secrecyOf(key)
      return [key.length < 24 ? key : redactText(key), hides(secrecy, inner) ? REDACTED : redact(inner)]
    }),
  )
}

function hides(secrecy: ReturnType<typeof secrecyOf>, value: unknown): boolean {
  if (secrecy === 'none' || value === null || typeof value === 'boolean') return false
  return secrecy === 'always' || typeof value !== 'number'
}

/** One line of JSON, without secrets. */
export function redactLine(line: string): string {
  try {
    return `${JSON.stringify(redact(JSON.parse(line)))}\n`
  } catch {
    return redactText(line)
  }
}
