import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { CallFailed } from '../port.ts'
import { exchanges } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { noAnswer, tooLongAnswer } from './limits.ts'

/** Who waits for which answer by a pipe or socket, which carries those of all. */
export interface Awaited {
  /** An answer has come that cannot be read. */
  isNone: (id: string | number) => void
  /** An answer was too long to be read. Without an id it is nobody's, unless only one call waits. False: nobody was told. */
  isTooLong: (id: string | number | undefined) => boolean
}

/** What a pipe or socket tells of, besides its messages. */
export interface Ears extends Awaited {
  /** Something of what it says is of no use, and was left out. */
  onNoise: (told: string) => void
}

interface AwaitedHere extends Awaited {
  arrived: (message: JSONRPCMessage) => void
  /** Whoever waits for the answer to this. */
  exchangeOf: (id: string | number) => Exchange | undefined
}

/** Sees what goes out; `arrived` is to be told of what comes in. */
export function awaitAnswers(transport: Transport): AwaitedHere {
  const waiting = new Map<string | number, { exchange: Exchange; forget: () => void }>()
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    const exchange = exchanges.getStore()
    if (exchange && 'method' in message && 'id' in message) {
      const { id } = message
      const forget = () => {
        waiting.delete(id)
        exchange.afterwards.delete(forget)
      }
      waiting.set(id, { exchange, forget })
      exchange.afterwards.add(forget)
    }
    return send(message, options)
  }
  function fail(id: string | number, why: CallFailed): boolean {
    const awaited = waiting.get(id)
    if (!awaited) return false
    awaited.forget()
    awaited.exchange.fail(why)
    // The SDK waits too.
    transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32_603, message: why.message } })
    return true
  }
  return {
    arrived(message) {
      if (!('method' in message) && message.id !== undefined) waiting.get(message.id)?.forget()
    },
    exchangeOf: (id) => waiting.get(id)?.exchange,
    isNone: (id) => void fail(id, new CallFailed('source_failed', noAnswer)),
    isTooLong(id) {
      const [only, ...others] = waiting.keys()
      const whose = id ?? (others.length === 0 ? only : undefined)
      return whose !== undefined && fail(whose, new CallFailed('answer_too_large', tooLongAnswer))
    },
  }
}
