import { IncomingMessage, request as plainRequest } from 'node:http'
import type { RequestOptions } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { Duplex } from 'node:stream'

export interface Refusing {
  status: number
  body: AsyncIterable<Uint8Array>
}

/** Asks for a connection to become something else. Answers with the bytes of that, or with what is said instead. */
export async function openUpgraded(
  options: Omit<RequestOptions, 'headers'> & { isSecure?: boolean; headers?: Record<string, string> },
  protocol: string,
): Promise<{ stream: Duplex } | { refused: Refusing }> {
  const headers = { ...options.headers, connection: 'Upgrade', upgrade: protocol }
  const asked = (options.isSecure ? secureRequest : plainRequest)({ ...options, headers, agent: false })
  const answer = await new Promise<Duplex | IncomingMessage>((resolve, reject) => {
    asked.once('upgrade', (_, stream, head) => {
      if (head.length > 0) stream.unshift(head)
      resolve(stream)
    })
    asked.once('response', resolve)
    asked.once('error', reject)
    asked.end()
  })
  if (!(answer instanceof IncomingMessage)) return { stream: answer }
  return { refused: { status: answer.statusCode ?? 0, body: answer } }
}
