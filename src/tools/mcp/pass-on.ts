import { CallFailed } from '../port.ts'
import type { Caller, CallHands } from '../port.ts'
import type { Connection } from './connection.ts'
import type { Asked, Link } from './link.ts'
import { openLogLevels } from './log-levels.ts'
import type { LogLevels } from './log-levels.ts'
import { isObject } from './tool-list.ts'
import { asCallFailed } from './why.ts'

/** What is asked of an upstream as it is; anything else is not passed on. */
const passed = new Set([
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
])

interface Passing {
  caller: Caller
  method: string
  params: unknown
  hands: CallHands
  connection: Connection
  ask: (caller: Caller, hands: CallHands, asked: () => Asked) => Promise<unknown>
}

/** The requests of MCP that are not about tools; and what is kept of them for the next link. */
export interface PassOn {
  request: (passing: Passing) => Promise<unknown>
  logLevels: LogLevels
  /** What was subscribed to is subscribed to again. */
  renew: (connection: Connection, link: Link) => void
}

export function passOn(): PassOn {
  /** How many want to hear of a resource, by connection. */
  const wanted = new WeakMap<Connection, Map<string, number>>()
  const logLevels = openLogLevels()

  async function subscribe({ connection, params }: Passing): Promise<object> {
    const uri = uriIn(params)
    const link = await connection.ready()
    const counts = wanted.get(connection) ?? new Map<string, number>()
    wanted.set(connection, counts)
    const count = (counts.get(uri) ?? 0) + 1
    counts.set(uri, count)
    if (count > 1) return {}
    try {
      await link.following.subscribe(uri)
    } catch (error) {
      counts.delete(uri)
      throw asCallFailed(error)
    }
    return {}
  }

  async function unsubscribe({ connection, params }: Passing): Promise<object> {
    const uri = uriIn(params)
    const counts = wanted.get(connection)
    const count = (counts?.get(uri) ?? 0) - 1
    if (count > 0) counts?.set(uri, count)
    else counts?.delete(uri)
    if (count === 0)
      await connection
        .link()
        ?.following.unsubscribe(uri)
        .catch(() => {})
    return {}
  }

  return {
    logLevels,
    renew(connection, link) {
      for (const uri of wanted.get(connection)?.keys() ?? []) link.following.subscribe(uri).catch(() => {})
    },
    async request(passing) {
      const { method, params, caller, hands, ask, connection } = passing
      if (method === 'ping') return {}
      if (method === 'resources/subscribe') return subscribe(passing)
      if (method === 'resources/unsubscribe') return unsubscribe(passing)
      if (method === 'logging/setLevel') {
        if (isObject(params)) logLevels.set(caller, params['level'])
        // To those of 2026 the level is told with every request.
        if (connection.link()?.isModern || !connection.link()?.capabilities.logging) return {}
        const level = logLevels.mostDetailed()
        return ask(caller, hands, () => ({ method, params: { level } }))
      }
      if (!passed.has(method))
        throw new CallFailed('source_failed', `${method} is not passed on`, { context: { code: -32601 } })
      return ask(caller, hands, () => ({ method, params: isObject(params) ? params : {} }))
    },
  }
}

function uriIn(params: unknown): string {
  if (isObject(params) && typeof params['uri'] === 'string') return params['uri']
  throw new CallFailed('source_failed', 'The address of a resource is missing', { context: { code: -32602 } })
}
