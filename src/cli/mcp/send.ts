import { request as plainRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'

export interface Sent {
  method: 'POST' | 'GET' | 'DELETE'
  headers: Record<string, string>
  body?: string
  signal: AbortSignal
}

const pauseMs = 250
const tries = 40

/**
 * Sends to an address, and waits for as long as the answer takes. While nobody listens there it tries again for ten seconds: nothing was
 * sent, and Signalbox may only be starting again. Redirects are not followed: the token must not.
 */
export async function send(url: URL, sent: Sent): Promise<IncomingMessage> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(url, sent)
    } catch (error) {
      const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED'
      if (!isRefused || attempt === tries || sent.signal.aborted) throw error
      await wait(pauseMs, undefined, { signal: sent.signal })
    }
  }
}

function sendOnce(url: URL, { method, headers, body, signal }: Sent): Promise<IncomingMessage> {
  const open = url.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    // A connection of its own: one that was kept may have been given up, and nobody could say what had been read from it.
    open(url, { method, headers, signal, agent: false }, resolve).on('error', reject).end(body)
  })
}
