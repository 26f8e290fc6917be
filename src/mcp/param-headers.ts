import { z } from 'zod'
import type { Caller, Registry } from '#tools/port.ts'

// A tool can want arguments of its calls repeated in headers (`x-mcp-header` in its schema), so that what stands in between can
// read them. It must not read something else than the tool does.

const Call = z.object({
  method: z.literal('tools/call'),
  params: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }),
})
const Mirrored = z.looseObject({ 'x-mcp-header': z.string(), type: z.string() })
const Branch = z.looseObject({ properties: z.record(z.string(), z.unknown()) })

/** Says in which header a call is another than in its body. */
export function faultInHeaders(
  registry: Registry,
  caller: Caller,
  source: string | undefined,
  body: unknown,
  headers: Headers,
): string | undefined {
  const call = Call.safeParse(body)
  if (!call.success) return undefined
  const { name, arguments: args } = call.data.params
  const tool = registry.find(caller, source === undefined ? name : `${source}.${name}`)
  return tool && faultIn(tool.inputSchema, args, headers)
}

function faultIn(schema: unknown, args: unknown, headers: Headers): string | undefined {
  const branch = Branch.safeParse(schema)
  if (!branch.success) return undefined
  for (const [key, property] of Object.entries(branch.data.properties)) {
    const value = (args as Record<string, unknown> | undefined)?.[key]
    if (value === undefined || value === null) continue
    const mirrored = Mirrored.safeParse(property)
    const fault = mirrored.success
      ? differs(`Mcp-Param-${mirrored.data['x-mcp-header']}`, value, headers)
      : typeof value === 'object' && faultIn(property, value, headers)
    if (fault) return fault
  }
  return undefined
}

function differs(header: string, value: unknown, headers: Headers): string | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined
  const given = safely(() => headers.get(header))
  if (given === undefined) return undefined // no name that a header could have: nobody can send it
  if (given === null) return `The header ${header} is missing, and the arguments have a value for it`
  const text = decoded(given)
  const isSame =
    typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(text ?? '')
      ? Number(text) === value
      : text === String(value)
  return isSame ? undefined : `The header ${header} is not what the arguments say`
}

/** `=?base64?…?=` is what a header cannot hold as it is. */
function decoded(value: string): string | undefined {
  const packed = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (packed === undefined) return value
  const bytes = Buffer.from(packed, 'base64')
  if (bytes.toString('base64') !== packed) return undefined
  return safely(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes))
}

function safely<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
