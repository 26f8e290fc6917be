import { SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { AuthProvider, JSONRPCMessage } from '@modelcontextprotocol/client'
import type { SourceConfig } from '#contract/source.ts'
import { CallFailed } from '../port.ts'
import { exchanges } from './exchange.ts'
import { guardedFetch } from './guarded-fetch.ts'

type HttpPlace = Pick<SourceConfig, 'url' | 'headers' | 'auth'>

/** Streamable HTTP as the SDK has it, and: a request ends when its stream does, and its stream when nobody waits any more. */
class RequestStreams extends StreamableHTTPClientTransport {
  override async send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options: Parameters<StreamableHTTPClientTransport['send']>[1] = {},
  ): Promise<void> {
    const exchange = exchanges.getStore()
    const isRequest = !Array.isArray(message) && 'method' in message && 'id' in message
    if (!exchange || !isRequest || options.onRequestStreamEnd) return super.send(message, options)
    const closing = new AbortController()
    const close = () => closing.abort()
    exchange.afterwards.add(close)
    const { requestSignal } = options
    const follow = () => closing.abort(requestSignal?.reason)
    requestSignal?.addEventListener('abort', follow, { once: true })
    if (requestSignal?.aborted) follow()
    const cut = () => {
      exchange.afterwards.delete(close)
      const why = new CallFailed('source_failed', 'It closed the connection without an answer')
      // The answer itself may still be on its way to whoever waits for it.
      setTimeout(() => exchange.fail(why), 100).unref()
    }
    await super.send(message, { ...options, requestSignal: closing.signal, onRequestStreamEnd: cut })
    if (!exchange.isStreamed) exchange.afterwards.delete(close)
  }
}

export function httpTransport(
  place: HttpPlace,
  auth: AuthProvider | undefined,
): StreamableHTTPClientTransport {
  const url = new URL(place.url ?? '')
  return new RequestStreams(url, {
    fetch: guardedFetch(url, ownHeaders(place)),
    onInsufficientScope: 'throw',
    // A lost stream is opened again a few times; whether the server is there is looked at by ourselves.
    reconnectionOptions: {
      initialReconnectionDelay: 1_000,
      maxReconnectionDelay: 30_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
    ...(auth && { authProvider: auth }),
  })
}

/** The transport of 2024, which some still have. */
export function sseTransport(place: HttpPlace, auth: AuthProvider | undefined): SSEClientTransport {
  const url = new URL(place.url ?? '')
  return new SSEClientTransport(url, {
    fetch: guardedFetch(url, ownHeaders(place)),
    ...(auth && { authProvider: auth }),
  })
}

/** What the owner gave for this source; tokens of people are not among it. */
export function ownHeaders({ headers, auth }: HttpPlace): Record<string, string> {
  return auth?.type === 'bearer' && auth.token
    ? { ...headers, authorization: `Bearer ${auth.token}` }
    : headers
}
