import { z } from 'zod'
import type { Message } from './message.ts'
import { versionIn } from './message.ts'

// The newer protocol says in headers what is in a message. Over stdin there are none, so they are made here.

const Tools = z.looseObject({
  tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.looseObject({}) })),
})
const Properties = z.looseObject({ properties: z.record(z.string(), z.unknown()) })
const Mirrored = z.looseObject({ 'x-mcp-header': z.string() })

export interface MessageHeaders {
  /** Tools say which of their arguments are wanted as headers. */
  learn(result: unknown): void
  of(message: Message): Record<string, string>
}

export function openHeaders(): MessageHeaders {
  const schemas = new Map<string, unknown>()
  return {
    learn(result) {
      for (const { name, inputSchema } of Tools.safeParse(result).data?.tools ?? [])
        schemas.set(name, inputSchema)
    },
    of(message) {
      const version = versionIn(message)
      if (version === undefined || message.method === undefined) return {}
      const { name, uri, arguments: args } = message.params ?? {}
      const about = name ?? uri
      return {
        'mcp-protocol-version': version,
        'mcp-method': message.method,
        ...(typeof about === 'string' && { 'mcp-name': packed(about) }),
        ...(message.method === 'tools/call' && mirrored(schemas.get(String(name)), args)),
      }
    },
  }
}

function mirrored(schema: unknown, args: unknown): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [key, property] of Object.entries(Properties.safeParse(schema).data?.properties ?? {})) {
    const value = (args as Record<string, unknown> | undefined)?.[key]
    if (value === undefined || value === null) continue
    const wanted = Mirrored.safeParse(property)
    if (!wanted.success) Object.assign(headers, mirrored(property, value))
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      headers[`mcp-param-${wanted.data['x-mcp-header']}`] = packed(String(value))
  }
  return headers
}

/** What a header cannot hold as it is goes as base64. */
const packed = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
