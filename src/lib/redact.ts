import { secrecyOf } from './secret-words.ts'

export const REDACTED = '[redacted]'

// What a secret looks like inside a text, whatever the text is.
const patterns: [RegExp, string][] = [
  [/\b(bearer|basic|digest|negotiate)\s+[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, REDACTED], // a JWT
  [/\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abposr]|AIza)[-_]?[\w-]{16,}/g, REDACTED], // well-known keys
  [/([a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*):[^\s/"']+@/gi, `$1:${REDACTED}@`], // scheme://user:password@host
  [
    /([?&#;](?:[\w-]*(?:token|ticket|secret|password|key|signature|jwt|code)))=[^&\s"'<>\\#]+/gi,
    `$1=${REDACTED}`,
  ],
  [
    /((?:^|[\s,;{(])(?:proxy-)?(?:authorization|cookie|set-cookie|x-[\w-]*(?:key|token|secret)|api-key)\s*:\s*)[^\r\n"']+/gi,
    `$1${REDACTED}`,
  ],
  [
    /(\b[\w-]*(?:password|passwd|passphrase|secret|token|api[-_]?key|private[-_]?key)\\?["']?\s*=\s*\\?["']?)[^\s"'&,;}\\]+/gi,
    `$1${REDACTED}`,
  ],
  [
    /(\b[\w-]*(?:password|passwd|passphrase|secret|api[-_]?key)\\?["']?\s*:\s*\\?["']?)[^\s"',;}\\]+/gi,
    `$1${REDACTED}`,
  ],
  [/(\b[\w-]*token\\?["']?\s*:\s*\\?["']?)[^\s"',;}\\]{12,}/gi, `$1${REDACTED}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
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

/** Learns the secrets among the variables of this process, by their names. */
export function keepVariablesOutOfLogs(env: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(env)) {
    if (secrecyOf(name) !== 'none') keepOutOfLogs(value)
    if (value?.includes('://')) keepOutOfLogs(URL.parse(value)?.password, passwordOf(value))
  }
}

const passwordOf = (url: string) => {
  try {
    return decodeURIComponent(URL.parse(url)?.password ?? '')
  } catch {
    return undefined
  }
}

export function redactText(text: string): string {
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
      return [redactText(key), hides(secrecy, inner) ? REDACTED : redact(inner)]
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
