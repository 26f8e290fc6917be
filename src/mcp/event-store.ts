import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server'

interface Kept {
  number: number
  stream: string
  message: JSONRPCMessage
  size: number
}

/** The last messages of one session, for a client that was cut off. What is older than what fits is gone. */
export function openEventStore(mostBytes = 2 * 1024 * 1024, most = 2_000): EventStore {
  const kept: Kept[] = []
  let bytes = 0
  let last = 0
  return {
    storeEvent: async (stream, message) => {
      const size = JSON.stringify(message).length
      kept.push({ number: ++last, stream, message, size })
      bytes += size
      while (kept.length > most || (bytes > mostBytes && kept.length > 1)) bytes -= kept.shift()?.size ?? 0
      return `${last}.${stream}`
    },
    getStreamIdForEventId: async (id) => parted(id)?.stream,
    replayEventsAfter: async (id, { send }) => {
      const from = parted(id)
      if (!from) throw new Error('The event is not known')
      for (const { number, stream, message } of kept.slice())
        // The first event of a stream only says where it begins.
        if (stream === from.stream && number > from.number && 'jsonrpc' in message)
          await send(`${number}.${stream}`, message)
      return from.stream
    },
  }

  function parted(id: string): { number: number; stream: string } | undefined {
    const [, number, stream] = /^(\d+)\.(.+)$/.exec(id) ?? []
    return number !== undefined && stream !== undefined && Number(number) <= last
      ? { number: Number(number), stream }
      : undefined
  }
}
