import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { Principal } from '#contract/access.ts'
import { ToolsListed } from '#contract/tool.ts'
import type { Logger } from '#lib/log.ts'
import type { AskedBy, Caller, InputRequest, InputResponse, Registry } from '#tools/port.ts'
import { askerIn, keyOf, withAsker } from './asker.ts'
import type { Asker } from './asker.ts'
import { refusal } from './call-failure.ts'
import { openCodeNames } from './code-names.ts'
import type { CodeNames } from './code-names.ts'
import { listenedTo } from './listened-to.ts'
import { mergedView } from './merged-view.ts'
import { tellChanges } from './notices.ts'
import { faultInHeaders } from './param-headers.ts'
import { openPausedCalls } from './paused-calls.ts'
import { rawView } from './raw-view.ts'
import { rpcError } from './rpc-error.ts'
import { serverOf } from './server-of.ts'
import { openSessions, whenRead } from './sessions.ts'
import { openSubscriptions } from './subscriptions.ts'
import type { View } from './view.ts'

export interface McpEndpointNeeds {
  registry: Registry
  /** Asked for every request: what is live in an agent's session changes. May throw a Problem. */
  callerOf(principal: Principal): Caller | Promise<Caller>
  /** How code writes the tools of a caller. Rejects, or is missing: they are told without it. */
  codeNames?(caller: Caller): Promise<CodeNames>
  log: Logger
  version: string
  /** Asks people what the client of an agent cannot be asked. Rejects, or is missing: nobody is there. */
  askInstead?(
    caller: Caller,
    asked: { by: AskedBy; requests: Record<string, InputRequest> },
    signal: AbortSignal,
  ): Promise<Record<string, InputResponse> | undefined>
  /** Other than usual, for tests. */
  limits?: { sessions?: Parameters<typeof openSessions>[0]; paused?: Parameters<typeof openPausedCalls>[0] }
}

/** `/mcp` and `/mcp/raw/:source`, for clients of both eras. Who asks has been found out before. */
export interface McpEndpoint {
  fetch(request: Request, principal: Principal): Promise<Response>
  close(): Promise<void>
}

export function openMcpEndpoint(needs: McpEndpointNeeds): McpEndpoint {
  const { registry, log, version, limits } = needs
  const paused = openPausedCalls(limits?.paused)
  const sessions = openSessions(limits?.sessions)
  const subscriptions = openSubscriptions(registry, log)
  const namesOf = openCodeNames(registry, needs.codeNames?.bind(needs), log)
  const handlers = new Map<string | undefined, McpHttpHandler>()
  const askInstead =
    ({ caller }: Asker) =>
    async (requests: Record<string, InputRequest>, by: AskedBy | undefined, signal: AbortSignal) => {
      const isForPeople = Object.values(requests).every(({ method }) => method === 'elicitation/create')
      // A person who calls is the one who could be asked.
      return caller.kind === 'agent' && isForPeople && by
        ? needs.askInstead?.(caller, { by, requests }, signal)
        : undefined
    }
  const serverNeeds = { version, paused, subscriptions, askInstead }
  const notices = tellChanges(registry, {
    modern: (source) => handlers.get(source),
    sessions: (source) => sessions.of(source),
    subscriptions,
    log,
  })

  /** Undefined: there is no such source for them. */
  function viewFor(url: URL, { principal, caller }: Asker): View | undefined {
    const name = sourceIn(url)
    const isBoardOnly = !principal.scopes.includes('tools')
    if (name === undefined) return mergedView(registry, { listing: listingIn(url), isBoardOnly, namesOf })
    const source = registry.sources(caller).find((one) => one.name === name)
    return source && !isBoardOnly ? rawView(registry, source) : undefined
  }

  function handlerOf(source: string | undefined): McpHttpHandler {
    const known = handlers.get(source)
    if (known) return known
    const handler = createMcpHandler(
      ({ authInfo, requestInfo }) => {
        const asker = askerIn(authInfo)
        const view = viewFor(new URL(requestInfo?.url ?? ''), asker)
        if (!view) throw new Error('The source was removed meanwhile')
        // The SDK has seen to it that the header says what the body says.
        const isDiscovery = requestInfo?.headers.get('mcp-method') === 'server/discover'
        return serverOf(view, asker, { era: 'modern', isIntroduction: isDiscovery }, serverNeeds)
      },
      { legacy: 'reject', onerror: (error) => log.debug({ err: error }, 'an MCP request was refused') },
    )
    handlers.set(source, handler)
    return handler
  }

  async function serve(url: URL, request: Request, body: unknown, asker: Asker): Promise<Response> {
    const view = viewFor(url, asker)
    if (!view) return rpcError(404, -32_602, `There is no source ${sourceIn(url)} that you may use`, body)
    const { source } = view
    const authInfo = withAsker(asker)
    if (await isLegacyRequest(request, body))
      return sessions.serve(request, body, {
        owner: asker.key,
        source,
        authInfo,
        newServer: () => serverOf(view, asker, { era: 'legacy', isIntroduction: true }, serverNeeds),
      })
    const fault = faultInHeaders(registry, asker.caller, source, body, request.headers)
    if (fault) return rpcError(400, -32_020, fault, body)
    const watcher = {}
    const uris = source === undefined ? [] : listenedTo(body)
    for (const uri of uris)
      await subscriptions.add(watcher, asker.caller, source ?? '', uri).catch(cannotWatch)
    const options = body === undefined ? { authInfo } : { authInfo, parsedBody: body }
    const response = await handlerOf(source).fetch(request, options)
    return uris.length === 0 ? response : whenRead(response, () => void subscriptions.removeAll(watcher))
  }
  const cannotWatch = (error: unknown) => log.debug({ err: error }, 'a resource cannot be watched')

  return {
    async fetch(incoming, principal) {
      const { request, body } = await readWhole(incoming)
      const url = new URL(request.url)
      const key = keyOf(principal)
      // Nothing is asked for: a stream, a goodbye, a notification or an answer of a session, also while an agent is at rest.
      if (!isAsked(body) && request.headers.has('mcp-session-id'))
        return sessions.serve(request, body, { owner: key, source: sourceIn(url) })
      let caller
      try {
        caller = await needs.callerOf(principal)
      } catch (error) {
        return refused(error, body)
      }
      return serve(url, request, body, { principal, caller, key })
    },
    async close() {
      notices.close()
      paused.close()
      await Promise.all([sessions.close(), ...[...handlers.values()].map((handler) => handler.close())])
    },
  }
}

const sourceIn = ({ pathname }: URL): string | undefined => {
  const name = /^\/mcp\/raw\/([^/]+)$/.exec(pathname)?.[1]
  return name === undefined ? undefined : decodeURIComponent(name)
}

const OrAuto = ToolsListed.catch('auto')
const listingIn = ({ searchParams }: URL): ToolsListed => OrAuto.parse(searchParams.get('tools'))

/** A body is read once, and by nobody else. What is no JSON is left to the SDK, which says so as the protocol has it. */
async function readWhole(request: Request): Promise<{ request: Request; body?: unknown }> {
  if (request.method !== 'POST') return { request }
  const text = await request.text().catch(() => '')
  try {
    return { request, body: JSON.parse(text) }
  } catch {
    const { url, method, headers, signal } = request
    return { request: new Request(url, { method, headers, signal, body: text }) }
  }
}

const isAsked = (body: unknown): boolean =>
  Array.isArray(body) || (typeof body === 'object' && body !== null && 'method' in body && 'id' in body)

/** Why somebody may not act now, if that is meant for them. */
function refused(error: unknown, body: unknown): Response {
  const isMeant = error instanceof Error && 'code' in error && typeof error.code === 'string'
  if (!isMeant) throw error
  return rpcError(body === undefined ? 403 : 200, refusal, error.message, body, { code: error.code })
}
