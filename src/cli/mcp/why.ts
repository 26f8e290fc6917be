import type { IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { z } from 'zod'
import { inertLine } from '#lib/inert-text.ts'
import { rpcError } from './message.ts'
import type { Message } from './message.ts'

const Refusal = z.object({ error: z.object({ message: z.string() }) })
const RpcRefusal = Refusal.extend({ jsonrpc: z.literal('2.0') })

/** What is told to the client when a request was refused: the endpoint's own words as they are, those of web as an error. */
export async function whyRefused(answer: IncomingMessage, id: Message['id']): Promise<string> {
  const body = parsed(await readText(answer))
  if (RpcRefusal.safeParse(body).success) return JSON.stringify({ ...(body as object), id: id ?? null })
  const told = Refusal.safeParse(body).data?.error.message
  const words = told === undefined ? `Signalbox answered with status ${answer.statusCode}` : inertLine(told)
  return rpcError(id, words)
}

/** What is told when no answer came. */
export function whyLost(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ECONNREFUSED') return 'Signalbox does not answer. Start it with npm start, and try again'
  return 'The connection to Signalbox was lost before it answered, so it is not known whether it was done. Look before you try again'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
