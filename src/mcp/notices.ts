import type { LoggingMessageNotification, McpHttpHandler } from '@modelcontextprotocol/server'
import type { Logger } from '#lib/log.ts'
import type { Registry, SourceChange } from '#tools/port.ts'
import type { Session } from './sessions.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Who is to be told what has changed. */
export interface Listeners {
  modern(source: string | undefined): McpHttpHandler | undefined
  sessions(source: string | undefined): Session[]
  subscriptions: Subscriptions
  log: Logger
}

const lists = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
} as const
type List = (typeof lists)[keyof typeof lists]

/** Many changes at once are told once. */
const gatherMs = 50

/** Passes on what changes in the registry to clients of both eras. */
export function tellChanges(registry: Registry, listeners: Listeners): { close(): void } {
  const gathered = new Map<string | undefined, Set<List>>()
  let timer: NodeJS.Timeout | undefined
  const failed = (error: unknown) => listeners.log.debug({ err: error }, 'a client could not be told')

  function gather(source: string, list: List): void {
    for (const view of [undefined, source]) {
      const known = gathered.get(view) ?? new Set()
      gathered.set(view, known.add(list))
    }
    timer ??= setTimeout(tell, gatherMs).unref()
  }

  function tell(): void {
    timer = undefined
    for (const [view, changed] of gathered)
      for (const list of changed) {
        listeners.modern(view)?.notify[`${list}Changed`]()
        for (const { server } of listeners.sessions(view)) {
          if (!server.getCapabilities()[list]?.listChanged) continue
          server.notification({ method: `notifications/${list}/list_changed` }).catch(failed)
        }
      }
    gathered.clear()
  }

  function hear(source: string, change: SourceChange): void {
    if (change.kind === 'tools') gather(source, 'tools')
    if (change.kind !== 'notification') return
    const { method, params = {} } = change
    if (Object.hasOwn(lists, method)) return gather(source, lists[method as keyof typeof lists])
    if (method === 'notifications/resources/updated') {
      const uri = String(params['uri'])
      listeners.modern(source)?.notify.resourceUpdated(uri)
      for (const { server } of listeners.sessions(source))
        if (listeners.subscriptions.has(server, uri))
          server.sendResourceUpdated({ ...params, uri }).catch(failed)
    }
    if (method === 'notifications/message')
      for (const { server } of listeners.sessions(source)) {
        const told = params as LoggingMessageNotification['params']
        if (server.getCapabilities().logging)
          server.sendLoggingMessage(told, server.transport?.sessionId).catch(failed)
      }
  }

  const stop = registry.onChange(hear)
  return {
    close() {
      stop()
      clearTimeout(timer)
    },
  }
}
