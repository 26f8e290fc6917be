import type { Logger } from '#lib/log.ts'
import { CallFailed } from '#tools/port.ts'
import type { Caller, Registry } from '#tools/port.ts'

/** Which resources are watched, and by whom. An upstream is asked once for all who watch the same, and told when nobody does any more. */
export interface Subscriptions {
  add(watcher: object, caller: Caller, source: string, uri: string): Promise<void>
  remove(watcher: object, uri: string): Promise<void>
  removeAll(watcher: object): Promise<void>
  has(watcher: object, uri: string): boolean
}

const mostOfOne = 500

interface Watched {
  caller: Caller
  source: string
  uri: string
  watchers: Set<object>
}

export function openSubscriptions(registry: Registry, log: Logger): Subscriptions {
  const watched = new Map<string, Watched>()
  const keyOf = (caller: Caller, source: string, uri: string) => JSON.stringify([caller.id, source, uri])

  async function leave(key: string, watcher: object): Promise<void> {
    const entry = watched.get(key)
    if (!entry?.watchers.delete(watcher) || entry.watchers.size > 0) return
    watched.delete(key)
    const { caller, source, uri } = entry
    const hands = { signal: AbortSignal.timeout(30_000) }
    await registry
      .request(caller, source, 'resources/unsubscribe', { uri }, hands)
      .catch((error: unknown) => log.debug({ err: error, source }, 'an upstream still watches a resource'))
  }

  const ofWatcher = (watcher: object) => [...watched].filter(([, { watchers }]) => watchers.has(watcher))

  return {
    async add(watcher, caller, source, uri) {
      const key = keyOf(caller, source, uri)
      const known = watched.get(key)
      if (known) return void known.watchers.add(watcher)
      if (ofWatcher(watcher).length >= mostOfOne)
        throw new CallFailed(
          'too_many_calls',
          `${mostOfOne} resources are watched already. Leave some of them`,
        )
      const hands = { signal: AbortSignal.timeout(30_000) }
      await registry.request(caller, source, 'resources/subscribe', { uri }, hands)
      const entry = watched.get(key) ?? { caller, source, uri, watchers: new Set() }
      entry.watchers.add(watcher)
      watched.set(key, entry)
    },
    async remove(watcher, uri) {
      const theirs = ofWatcher(watcher).filter(([, entry]) => entry.uri === uri)
      await Promise.all(theirs.map(([key]) => leave(key, watcher)))
    },
    async removeAll(watcher) {
      await Promise.all(ofWatcher(watcher).map(([key]) => leave(key, watcher)))
    },
    has: (watcher, uri) => ofWatcher(watcher).some(([, entry]) => entry.uri === uri),
  }
}
