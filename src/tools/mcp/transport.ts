import { AsyncResource } from 'node:async_hooks'
import { ProtocolErrorCode, SseError } from '@modelcontextprotocol/client'
import type {
  AuthProvider,
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport,
} from '@modelcontextprotocol/client'
import type { SourceConfig } from '#contract/source.ts'
import { CallFailed } from '../port.ts'
import { awaitAnswers } from './awaited.ts'
import type { Awaited } from './awaited.ts'
import { exchanges } from './exchange.ts'
import { httpTransport, ownHeaders, sseTransport } from './http.ts'
import { isTooDeep, tooDeepAnswer, tooDeepQuestion, tooDeepUnread } from './nesting.ts'
import { stdioTransport } from './stdio.ts'
import { leaveOutBadTools } from './tool-list.ts'
import { webSocketTransport } from './websocket.ts'
import { saysSessionIsLost } from './why.ts'

export type Wire = 'stdio' | 'http' | 'sse' | 'websocket'

/** One way to an upstream, with what is known of its end. */
export interface OpenedTransport {
  readonly transport: Transport
  pid: () => number | undefined
  /** Why it is gone, if it tells. */
  gone: () => string | undefined
  /** Whether nothing can come by it any more after this error. */
  isLostBy: (error: Error) => boolean
  /** Whether it says by this that it does not know our session: nothing was done. */
  isForgottenBy: (error: unknown) => boolean
  /** Says goodbye, before it is closed. Never rejects. */
  leave: () => Promise<void>
}

interface Way {
  config: SourceConfig
  home: string
  auth: AuthProvider | undefined
  /** Something of what it says is of no use, and was left out. */
  onNoise: (told: string) => void
}

export function openTransport(wire: Wire, way: Way): OpenedTransport {
  let answers: ReturnType<typeof awaitAnswers> | undefined
  const opened = open(wire, way, {
    isNone: (id) => answers?.isNone(id),
    isTooLong: (id) => answers?.isTooLong(id) ?? false,
  })
  // Over HTTP every request has a stream of its own.
  if (wire === 'stdio' || wire === 'websocket') answers = awaitAnswers(opened.transport)
  const { transport } = opened
  /** What is passed on of a message, or in its place. */
  const readable = (message: JSONRPCMessage): JSONRPCMessage | undefined => {
    const bad = leaveOutBadTools(message)
    if (bad.length > 0)
      way.onNoise(`${bad.length} of its tools are none and were left out: ${bad.slice(0, 5).join(', ')}`)
    if (!isTooDeep(message)) return message
    if ('method' in message || message.id === undefined) {
      way.onNoise(tooDeepUnread)
      if ('id' in message && message.id !== undefined)
        transport.send(refusal(message.id, tooDeepQuestion)).catch(() => {})
      return undefined
    }
    const exchange = answers?.exchangeOf(message.id) ?? exchanges.getStore()
    if (!exchange) way.onNoise(tooDeepUnread)
    exchange?.fail(new CallFailed('source_failed', tooDeepAnswer))
    return refusal(message.id, tooDeepAnswer)
  }
  intercept(transport, (message) => {
    const passed = readable(message)
    if (passed) answers?.arrived(passed)
    return passed
  })
  return opened
}

const refusal = (id: string | number, message: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: ProtocolErrorCode.InvalidRequest, message },
})

function open(wire: Wire, { config, home, auth, onNoise }: Way, awaited: Awaited): OpenedTransport {
  const nothing = {
    pid: () => undefined,
    gone: () => undefined,
    isLostBy: () => false,
    isForgottenBy: () => false,
    leave: async () => {},
  }
  switch (wire) {
    case 'stdio': {
      const transport = stdioTransport(config, home, { ...awaited, onNoise })
      return { ...nothing, transport, pid: () => transport.pid, gone: transport.gone }
    }
    case 'websocket': {
      const headers = async () => {
        const token = await auth?.token()
        // Whoever opens a socket is not told why it is refused.
        if (auth && token === undefined) throw notLetIn
        return { ...ownHeaders(config), ...(token && { authorization: `Bearer ${token}` }) }
      }
      const transport = webSocketTransport({ url: config.url ?? '', headers }, { ...awaited, onNoise })
      return { ...nothing, transport, gone: transport.gone }
    }
    case 'sse':
      // It would open its stream anew by itself, but what is said there then belongs to another session.
      return {
        ...nothing,
        transport: sseTransport(config, auth),
        isLostBy: (error) => error instanceof SseError,
      }
    case 'http': {
      const transport = httpTransport(config, auth)
      return {
        ...nothing,
        transport,
        isLostBy: (error) => error.message.startsWith('Maximum reconnection attempts'),
        isForgottenBy: (error) => transport.sessionId !== undefined && saysSessionIsLost(error),
        leave: () => leaveSession(transport),
      }
    }
  }
}

const notLetIn = new CallFailed(
  'source_unauthorized',
  'It does not let us in: nobody has let Signalbox in there for you. Open Tools and let Signalbox in.',
  { isUnsent: true },
)
const goodbyeMs = 1_000

async function leaveSession(transport: StreamableHTTPClientTransport): Promise<void> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, goodbyeMs).unref())
  await Promise.race([transport.terminateSession().catch(() => {}), late])
}

/**
 * Every message is seen before whoever listens now, who gets what is made of it. Whatever that comes to, it is not thrown: here we are
 * called by the socket or the pipe, which knows no better than to end the process. What follows a notification is passed on a moment later: the SDK works on notifications in
 * its own time, and an answer right behind would overtake the progress that was told before it.
 */
function intercept(transport: Transport, see: (message: JSONRPCMessage) => JSONRPCMessage | undefined): void {
  type Listener = NonNullable<Transport['onmessage']>
  let listener: Listener | undefined
  let isBehind = false
  const waiting: (() => void)[] = []
  const pass = (message: JSONRPCMessage, extra: Parameters<Listener>[1]) => {
    if (isNotification(message) && !isBehind) {
      isBehind = true
      setImmediate(() => {
        isBehind = false
        while (!isBehind && waiting.length > 0) waiting.shift()?.()
      })
    }
    guarded(() => listener?.(message, extra))
  }
  const guarded = <Result>(work: () => Result): Result | undefined => {
    try {
      return work()
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)))
      return undefined
    }
  }
  const take: Listener = (told, extra) => {
    const message = guarded(() => see(told)) as typeof told | undefined
    if (!message) return
    if (waiting.length === 0 && (!isBehind || isNotification(message))) return pass(message, extra)
    waiting.push(AsyncResource.bind(() => pass(message, extra)))
  }
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => listener && take,
    set(next: Listener | undefined) {
      listener = next === take ? listener : next
    },
  })
}

const isNotification = (message: JSONRPCMessage): boolean => 'method' in message && !('id' in message)
