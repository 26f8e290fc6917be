import { ProtocolError } from '@modelcontextprotocol/client'
import type { Client, SubscriptionFilter } from '@modelcontextprotocol/client'

/** What is followed of an upstream's resources, whatever its way of telling is. */
export interface Following {
  subscribe: (uri: string) => Promise<void>
  unsubscribe: (uri: string) => Promise<void>
}

const ackMs = 10_000
const [firstDelayMs, longestDelayMs] = [1_000, 30_000]

/**
 * Upstreams of 2025 tell of changes without being asked; to those of 2026 a stream is opened for it, again and again while the connection
 * stands. A server that has no such streams is not asked twice.
 */
export function follow(client: Client, isModern: boolean, onDoubt: () => void): Following {
  const streams = new Map<string, AbortController>()
  const listen = (key: string, filter: SubscriptionFilter) => {
    const end = new AbortController()
    streams.set(key, end)
    void keepListening(client, filter, end.signal, onDoubt)
  }
  const lists = changingLists(client)
  if (isModern && Object.keys(lists).length > 0) listen('', lists)
  return {
    async subscribe(uri) {
      if (!isModern) await client.subscribeResource({ uri })
      else if (!streams.has(uri)) listen(uri, { resourceSubscriptions: [uri] })
    },
    async unsubscribe(uri) {
      if (!isModern) await client.unsubscribeResource({ uri })
      streams.get(uri)?.abort()
      streams.delete(uri)
    },
  }
}

function changingLists(client: Client): SubscriptionFilter {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {}
  return {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  }
}

async function keepListening(
  client: Client,
  filter: SubscriptionFilter,
  signal: AbortSignal,
  onDoubt: () => void,
): Promise<void> {
  for (let delay = firstDelayMs; !signal.aborted && client.transport;) {
    const startedAt = Date.now()
    try {
      const stream = await client.listen(filter, { timeout: ackMs, signal })
      if ((await stream.closed) === 'local') return
    } catch (error) {
      if (error instanceof ProtocolError) return
    }
    if (!client.transport) return
    onDoubt()
    if (Date.now() - startedAt > longestDelayMs) delay = firstDelayMs
    await new Promise((resolve) => setTimeout(resolve, delay).unref())
    delay = Math.min(longestDelayMs, delay * 2)
  }
}
