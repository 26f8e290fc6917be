import type { SourceConfig, SourceHealth } from '#contract/source.ts'
import { ToolResult } from '#contract/tool.ts'
import type { Logger } from '#lib/log.ts'
import { CallFailed } from '../port.ts'
import type { Caller, CallHands, SourceChange, ToolSource } from '../port.ts'
import type { UpstreamAuth } from './auth.ts'
import { keepConnected } from './connection.ts'
import type { Connection } from './connection.ts'
import type { Remembered } from './connect.ts'
import { converse } from './converse.ts'
import type { Asked, Link } from './link.ts'
import { asksForHeaders } from './param-headers.ts'
import { passOn } from './pass-on.ts'
import { oneForAll, oneForEach } from './people.ts'
import { SessionLost, asCallFailed } from './why.ts'

export interface McpSourceSpec {
  name: string
  /** `${NAME}` is filled in, secrets are there. */
  config: SourceConfig
  /** Ours, told to servers. */
  version: string
  log: Logger
  /** Told to every process of a stdio source, so that strays are found: one value for each home (see strays.ts). */
  home: string
  /** Where people let us in (OAuth): what opens the upstream for this caller. For nobody in particular there is none, and no way in. */
  authFor?: (caller: Caller | undefined) => UpstreamAuth | undefined
}

/** Begins to connect at once, and keeps at it. Never rejects: how it goes is told by `health`. */
export function openMcpSource(spec: McpSourceSpec): ToolSource {
  const { name, config, authFor } = spec
  const listeners = new Set<(change: SourceChange) => void>()
  const remembered: Remembered = {}
  const auths = new WeakMap<Connection, UpstreamAuth>()
  const subscriptions = passOn()

  function open(auth: UpstreamAuth | undefined): Connection {
    const kept = keepConnected({
      ...spec,
      log: spec.log.child({ source: name }),
      auth,
      remembered,
      onChange: (change) => listeners.forEach((listener) => listener(change)),
      onLink: (link) => subscriptions.renew(connection, link),
    })
    const deafen = auth?.onChange(() => void changed(auth, kept))
    const connection: Connection = {
      ...kept,
      close() {
        deafen?.()
        return kept.close()
      },
    }
    if (auth) auths.set(connection, auth)
    return connection
  }
  /** A request over HTTP shows what counts now; what was opened with something else must not stay open without it. */
  async function changed(auth: UpstreamAuth, { renew, tryNow }: Connection): Promise<void> {
    const token = await auth.token().catch(() => undefined)
    if (token === undefined || config.transport === 'websocket') renew()
    else tryNow()
  }
  const isPersonal = config.auth?.type === 'oauth' && authFor !== undefined
  const connections = isPersonal ? oneForEach((caller) => open(authFor(caller))) : oneForAll(open(undefined))

  const best = (): Connection | undefined => {
    const all = connections.all()
    return all.find((one) => one.health().status === 'healthy') ?? all.at(-1)
  }

  /** Rejects with a CallFailed that says whose failure it is. */
  async function ask(
    caller: Caller,
    hands: CallHands,
    asked: (connection: Connection) => Asked,
  ): Promise<unknown> {
    const connection = connections.of(caller)
    const { logLevels } = subscriptions
    try {
      const link = connection.standing() ?? (await unlessAborted(connection.ready(), hands.signal))
      const send = (by: Link) =>
        converse(by, { ...asked(connection), caller }, logLevels.heardBy(caller, hands), logLevels.of(caller))
      return await send(link).catch(async (error: unknown) => {
        if (!(error instanceof SessionLost)) throw error
        return await send(await unlessAborted(connection.anew(link, error), hands.signal))
      })
    } catch (error) {
      const failure = asCallFailed(error)
      if (failure.reason !== 'source_failed' || failure.context === undefined) connection.doubt()
      const needed = failure.context?.['neededScope']
      const more = typeof needed === 'string' ? await auths.get(connection)?.needsScope(needed) : undefined
      throw named(failure, more)
    }
  }
  async function connected(connection: Connection): Promise<void> {
    try {
      await connection.ready()
    } catch (error) {
      throw named(asCallFailed(error))
    }
  }
  const named = ({ reason, message, isUnsent, context }: CallFailed, more = message): CallFailed =>
    new CallFailed(reason, `${name}: ${more}`, { isUnsent, ...(context && { context }) })

  return {
    name,
    description: config.description ?? '',
    tools: (caller) => (caller ? connections.of(caller) : best())?.tools() ?? [],
    ready(caller) {
      const connection = connections.of(caller)
      if (connection.isKnown()) return undefined
      return connected(connection)
    },
    async call(caller, tool, args, hands) {
      const result = await ask(caller, hands, (connection) => {
        const definition = connection.tools().find((one) => one.name === tool)
        const needsHeaders =
          definition && connection.link()?.isModern && asksForHeaders(definition.inputSchema)
        return {
          method: 'tools/call',
          params: { name: tool, arguments: args },
          ...(needsHeaders && { definition }),
        }
      })
      return ToolResult.parse(result)
    },
    request: (caller, method, params, hands) =>
      subscriptions.request({ caller, method, params, hands, connection: connections.of(caller), ask }),
    health: () => ({ name, ...(best()?.health() ?? nobodyYet) }),
    capabilities: () => best()?.link()?.capabilities,
    instructions: () => best()?.link()?.instructions,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => connections.close(),
  }
}

const nobodyYet: Omit<SourceHealth, 'name'> = {
  status: 'unauthorized',
  error: 'Nobody has let us in there yet',
  errorAt: null,
  nextRetryAt: null,
  tools: 0,
  protocol: null,
  server: null,
  pid: null,
  since: null,
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const stop = () => aborted.reject(new CallFailed('cancelled', 'The call was cancelled', { isUnsent: true }))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener('abort', stop))
}
