import type { SourceConfig } from '#contract/source.ts'
import { inertLine } from '#lib/inert-text.ts'
import { badSource } from './bad-source.ts'

/** Throws the Problem that speaks against what stands in `headers`, `auth` or `env`. It never repeats what is secret. */
export function checkCharacters({ headers, auth, env }: SourceConfig): void {
  for (const [name, value] of Object.entries(headers)) {
    const field = `headers.${inertLine(name)}`
    if (!headerName.test(name)) throw badSource(field, 'is no name that a header can have')
    checkValue(field, value)
  }
  checkValue('auth.token', auth?.token ?? '')
  for (const [name, value] of Object.entries(env)) {
    const field = `env.${inertLine(name)}`
    if (name.includes('=') || hasControls(name))
      throw badSource(field, 'is no name that a variable can have: it has a "=" or a control character')
    // Keys of several lines are usual there.
    if (hasControls(value.replaceAll(/[\t\r\n]/g, '')))
      throw badSource(field, 'has a control character, such as NUL or escape: take it out')
  }
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/

function checkValue(field: string, value: string): void {
  if (hasControls(value.replaceAll('\t', '')))
    throw badSource(field, 'has a line break or another control character, which no header can have')
  if (/[^\0-\xff]/.test(value))
    throw badSource(field, 'has a character that no header can have: only those of ISO 8859-1 are sent')
}

const hasControls = (text: string): boolean => /\p{Cc}/u.test(text)
