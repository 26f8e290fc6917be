import { Server } from '@modelcontextprotocol/server'
import type { CallToolResult, Result, ServerContext } from '@modelcontextprotocol/server'
import type { ToolResult } from '#contract/tool.ts'
import { CallFailed } from '#tools/port.ts'
import type { CallHands } from '#tools/port.ts'
import { askerOf } from './asker.ts'
import type { Asker } from './asker.ts'
import { asProtocolError, toldAsResult, unknownTool } from './call-failure.ts'
import { openRounds } from './in-rounds.ts'
import type { Era, RoundNeeds } from './in-rounds.ts'
import { roundHands } from './round-hands.ts'
import type { Subscriptions } from './subscriptions.ts'
import type { Params, View } from './view.ts'
import { wireResult, wireTools } from './wire-tools.ts'

export interface ServerNeeds extends RoundNeeds {
  version: string
  subscriptions: Subscriptions
}

interface Purpose {
  era: Era
  /** Somebody asks what there is: else nobody hears the instructions, and it takes a while to put them together. */
  isIntroduction: boolean
}

/** A server of the SDK with what a view offers: for one request (modern) or one session (legacy). */
export function serverOf(
  view: View,
  first: Asker,
  { era, isIntroduction }: Purpose,
  needs: ServerNeeds,
): Server {
  const capabilities = view.capabilities(first.caller)
  const instructions = isIntroduction ? view.instructions(first.caller) : undefined
  const server = new Server(
    { name: view.source ?? 'signalbox', version: needs.version },
    { capabilities, ...(instructions !== undefined && { instructions }) },
  )
  const inRounds = openRounds(server, era, needs)

  async function call(ctx: ServerContext, tool: string, args: Params, hands: CallHands): Promise<ToolResult> {
    try {
      return await view.callTool(askerOf(ctx).caller, tool, args, hands)
    } catch (error) {
      if (error instanceof CallFailed && error.reason === 'tool_not_found') throw unknownTool(tool)
      return toldAsResult(error)
    }
  }

  async function pass(ctx: ServerContext, method: string, params: object | undefined, hands?: CallHands) {
    try {
      const { caller } = askerOf(ctx)
      const given: Params = { ...params }
      return await view.request(
        caller,
        method,
        given,
        hands ?? { ...roundHands(ctx), signal: ctx.mcpReq.signal },
      )
    } catch (error) {
      throw asProtocolError(error)
    }
  }

  if (capabilities.tools) {
    server.setRequestHandler('tools/list', (_request, ctx) => ({
      tools: wireTools(view.listTools(askerOf(ctx).caller), era),
    }))
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, ctx) => {
      const result = await inRounds(ctx, what(view, 'tools/call', name), (hands) =>
        call(ctx, name, args, hands),
      )
      return isToolResult(result) ? (wireResult(result, era) as CallToolResult) : result
    })
  }
  for (const method of plainMethods) {
    if (!isOffered(method, capabilities)) continue
    server.setRequestHandler(method, ({ params }, ctx) => pass(ctx, method, params) as Promise<never>)
  }
  if (era === 'legacy' && view.source !== undefined && capabilities.resources?.subscribe)
    watch(server, view.source, needs.subscriptions)
  const ask = (method: string, key: string, params: object, ctx: ServerContext) =>
    inRounds<Result>(ctx, what(view, method, key), (hands) =>
      pass(ctx, method, params, hands),
    ) as Promise<never>
  if (capabilities.prompts)
    server.setRequestHandler('prompts/get', ({ params }, ctx) => ask('prompts/get', params.name, params, ctx))
  if (capabilities.resources)
    server.setRequestHandler('resources/read', ({ params }, ctx) =>
      ask('resources/read', params.uri, params, ctx),
    )
  return server
}

const plainMethods = [
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'completion/complete',
] as const

function isOffered(method: string, has: ReturnType<View['capabilities']>): boolean {
  if (method.startsWith('prompts/')) return has.prompts !== undefined
  return method.startsWith('resources/') ? has.resources !== undefined : has.completions !== undefined
}

/** What a session watches it watches until it ends. */
function watch(server: Server, source: string, subscriptions: Subscriptions): void {
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }, ctx) => {
    const added = subscriptions.add(server, askerOf(ctx).caller, source, uri)
    await added.catch((error: unknown) => {
      throw asProtocolError(error)
    })
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    await subscriptions.remove(server, uri)
    return {}
  })
  Object.assign(server, { onclose: () => void subscriptions.removeAll(server) })
}

const what = ({ source }: View, method: string, key: string): string => JSON.stringify([source, method, key])

const isToolResult = (result: object): result is ToolResult => 'content' in result
