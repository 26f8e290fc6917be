const always = new Set(
  (
    'password passwords passwd passphrase pwd secret secrets authorization cookie cookies credential credentials jwt ' +
    'apikey apitoken accesskey accesstoken authtoken privatekey secretkey sessionkey refreshtoken'
  ).split(' '),
)
const atTheEnd = new Set(['token', 'tokens', 'key', 'keys', 'ticket', 'tickets', 'bearer', 'auth'])

export type Secrecy = 'always' | 'text' | 'none'

/**
 * Whether a field of this name holds a secret: `always`, whatever it holds; `text`, unless it holds a number or a flag
 * (`maxOutputTokens: 8192` is no secret); `none`.
 */
export function secrecyOf(name: string): Secrecy {
  const found = seen.get(name)
  if (found) return found
  const secrecy = judge(name)
  if (seen.size < 1000) seen.set(name, secrecy) // the names that we log are few; those of others may be many
  return secrecy
}

const seen = new Map<string, Secrecy>()

function judge(name: string): Secrecy {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
  if (words.some((word) => always.has(word))) return 'always'
  return atTheEnd.has(words.at(-1) ?? '') ? 'text' : 'none'
}
