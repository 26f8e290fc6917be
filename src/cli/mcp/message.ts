import { z } from 'zod'

/** A message of JSON-RPC, read only as far as it has to be to send it on. */
export const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({ _meta: z.looseObject({}).optional() }).optional(),
  result: z.looseObject({}).optional(),
})
export type Message = z.infer<typeof Message>

export const isRequest = ({ id, method }: Message): boolean => id !== undefined && method !== undefined

const versionKey = 'io.modelcontextprotocol/protocolVersion'

/** The version that a message of the newer protocol names in itself; of the older one, none. */
export function versionIn({ params }: Message): string | undefined {
  const { _meta: meta } = params ?? {}
  const version = meta?.[versionKey]
  return typeof version === 'string' ? version : undefined
}

export const rpcError = (id: Message['id'] | null, message: string, code = -32_000): string =>
  JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })
