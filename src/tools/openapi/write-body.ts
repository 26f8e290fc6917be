import { CallFailed } from '../port.ts'
import { isNode } from './document.ts'
import type { Body, Field } from './operation.ts'
import { inQuery } from './write-value.ts'

export interface SentBody {
  content: string | Uint8Array<ArrayBuffer> | FormData
  /** A form with files names its own. */
  contentType?: string
}

/** The body that the arguments make; nothing, if none of them is its. */
export function writtenBody(body: Body, args: Record<string, unknown>): SentBody | undefined {
  const value = valueOf(body, args)
  if (value === undefined) return undefined
  const { contentType } = body
  if (body.kind === 'json') return { content: JSON.stringify(value), contentType }
  if (body.kind === 'text') return { content: asText(value), contentType }
  if (body.kind === 'bytes') return { content: bytesIn(value, 'body'), contentType }
  if (!isNode(value)) throw new CallFailed('bad_arguments', 'body: a form has to be an object')
  if (body.kind === 'multipart') return { content: parts(body, value) }
  const pairs = Object.entries(value).flatMap(([name, one]) => formPairs(name, one, body.fields.get(name)))
  return { content: pairs.map(([name, one]) => `${name}=${one}`).join('&'), contentType }
}

function valueOf(body: Body, args: Record<string, unknown>): unknown {
  if (body.arguments === 'body') return args['body']
  const given = body.arguments.filter((name) => Object.hasOwn(args, name) && args[name] !== undefined)
  return given.length > 0 ? Object.fromEntries(given.map((name) => [name, args[name]])) : undefined
}

function formPairs(name: string, value: unknown, field: Field | undefined): [string, string][] {
  if (value === undefined) return []
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const usual = { name, style: isObject ? 'json' : 'form', explode: true } as const
  return inQuery(field?.written ?? usual, value)
}

function parts(body: Body, value: Record<string, unknown>): FormData {
  const form = new FormData()
  for (const [name, given] of Object.entries(value)) {
    const field = body.fields.get(name)
    for (const one of Array.isArray(given) ? given : [given]) {
      if (one === undefined) continue
      if (field?.isFile) {
        const type = field.contentType ?? 'application/octet-stream'
        form.append(name, new Blob([bytesIn(one, name)], { type }), name)
      } else if (typeof one === 'object' && one !== null) {
        form.append(name, new Blob([JSON.stringify(one)], { type: field?.contentType ?? 'application/json' }))
      } else if (field?.contentType && field.contentType !== 'text/plain') {
        form.append(name, new Blob([asText(one)], { type: field.contentType }))
      } else form.append(name, asText(one))
    }
  }
  return form
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function bytesIn(value: unknown, name: string): Uint8Array<ArrayBuffer> {
  const isBase64 = typeof value === 'string' && /^[\w+/-]*={0,2}\s*$/.test(value)
  if (!isBase64) throw new CallFailed('bad_arguments', `${name}: bytes have to be given as base64`)
  return Buffer.from(value, 'base64')
}
