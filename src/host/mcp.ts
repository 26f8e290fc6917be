import type { CommandAsked } from '#contract/workspace-tool.ts'
import { HOST_PROTOCOL } from '#contract/host.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { inWords, mcpTools } from '#contract/workspace-mcp.ts'
import type { UnattendedTools } from './unattended-tools.ts'

// The Model Context Protocol in both of its eras, over whatever carries the messages. Until 2025-11-25 a client introduces itself
// with `initialize`; from 2026-07-28 on every request says by itself which version it speaks, and nothing is remembered.

export const introducedVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
export const statelessVersion = '2026-07-28'
const versionKey = 'io.modelcontextprotocol/protocolVersion'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

export const rpcError = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  headerMismatch: -32_020,
  version: -32_022,
} as const

export type RpcId = string | number | null
export type Reply = { jsonrpc: '2.0'; id: RpcId } & (
  | { result: object }
  | { error: { code: number; message: string; data?: unknown } }
)

/** A request that is well made; anything else was answered already, or needs no answer. */
export interface RpcRequest {
  id: Exclude<RpcId, null>
  method: string
  params: Record<string, unknown>
  /** The version that the request itself names; undefined for those who introduce themselves. */
  version: unknown
}

export interface RpcNotification {
  method: string
  params: Record<string, unknown>
}

export function refusal(id: RpcId, code: number, message: string, data?: unknown): Reply {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}

/** What a message is: a request, a notification, a reply that says what is wrong with it, or nothing to be answered. */
export function readMessage(
  message: unknown,
): { request: RpcRequest } | { notification: RpcNotification } | { reply: Reply } | undefined {
  if (!isRecord(message) || message['jsonrpc'] !== '2.0')
    return { reply: refusal(null, rpcError.request, 'One JSON-RPC 2.0 message is expected') }
  const { id, method, params = {} } = message
  if (method === undefined && ('result' in message || 'error' in message)) return undefined
  const known = typeof id === 'string' || Number.isInteger(id) ? (id as string | number) : null
  if (typeof method !== 'string' || !isRecord(params) || (id !== undefined && known === null))
    return {
      reply: refusal(known, rpcError.request, 'It needs a method, params that are an object, and an id'),
    }
  if (known === null) return { notification: { method, params } }
  const meta = params['_meta']
  const version = isRecord(meta) ? meta[versionKey] : undefined
  return { request: { id: known, method, params, version } }
}

/** Answers a request. Never rejects. */
export async function answerRequest(
  tools: UnattendedTools,
  request: RpcRequest,
  signal: AbortSignal,
): Promise<Reply> {
  const { id, method, version, params } = request
  const isStateless = version !== undefined || method === 'server/discover'
  const wrong = isStateless ? wrongWithMeta(request) : undefined
  if (wrong) return wrong
  const done = (result: object): Reply => ({
    jsonrpc: '2.0',
    id,
    result: isStateless ? told(result) : result,
  })
  switch (method) {
    case 'tools/list':
      return done({ tools: mcpTools, ...(isStateless && cached) })
    case 'tools/call':
      return callTool(tools, id, params, signal, done)
    case 'server/discover':
      return done({ supportedVersions: [statelessVersion], ...about, ...cached })
    case 'initialize':
      if (!isStateless) return done({ protocolVersion: agreed(params['protocolVersion']), ...about })
      break
    case 'ping':
      if (!isStateless) return done({})
  }
  return refusal(id, rpcError.method, `There is no method ${method}`)
}

const serverInfo = {
  name: 'signalbox-workspace',
  title: 'Signalbox workspace',
  version: String(HOST_PROTOCOL),
}
const about = {
  capabilities: { tools: {} },
  serverInfo,
  instructions: 'The files of one workspace, and commands in it. Paths are relative to its root.',
}
const cached = { ttlMs: 3_600_000, cacheScope: 'private' }

const told = (result: object) => ({
  resultType: 'complete',
  ...result,
  _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
})

/** The one that was asked for, or the newest; a client that does not know that one leaves. */
const agreed = (asked: unknown) =>
  introducedVersions.find((version) => version === asked) ?? introducedVersions[0]

function wrongWithMeta({ id, params, version }: RpcRequest): Reply | undefined {
  const meta = params['_meta']
  if (typeof version !== 'string' || !isRecord(meta) || !isRecord(meta[capabilitiesKey]))
    return refusal(id, rpcError.params, `_meta needs ${versionKey} and ${capabilitiesKey}`)
  if (version === statelessVersion) return undefined
  const data = { supported: [statelessVersion], requested: version }
  return refusal(id, rpcError.version, `Version ${version} is not spoken here`, data)
}

async function callTool(
  tools: UnattendedTools,
  id: Exclude<RpcId, null>,
  { name, arguments: input = {} }: Record<string, unknown>,
  signal: AbortSignal,
  done: (result: object) => Reply,
): Promise<Reply> {
  if (typeof name !== 'string' || !Object.hasOwn(inWords, name))
    return refusal(id, rpcError.params, `There is no tool ${String(name)}`)
  try {
    const words = await wordsOf(tools, name as keyof typeof inWords, input, signal)
    return done({ content: words.map((text) => ({ type: 'text', text })), isError: false })
  } catch (error) {
    const isRefusal = error instanceof ToolRefused
    const text = isRefusal ? `${error.message} (${error.code})` : 'Something went wrong in the workspace'
    return done({ content: [{ type: 'text', text }], isError: true })
  }
}

async function wordsOf(
  tools: UnattendedTools,
  name: keyof typeof inWords,
  input: unknown,
  signal: AbortSignal,
): Promise<string[]> {
  const ask = async <Answer>(tool: Parameters<UnattendedTools['call']>[0]) =>
    (await tools.call(tool, input, signal)) as Answer
  switch (name) {
    case 'read_file':
      return inWords.read_file(await ask('read'))
    case 'write_file':
      return inWords.write_file(await ask('write'))
    case 'edit_file':
      return inWords.edit_file(await ask('edit'))
    case 'list_files':
      return inWords.list_files(await ask('list'))
    case 'search_files':
      return inWords.search_files(await ask('search'))
    case 'execute_command':
      return inWords.execute_command(await run(tools, input, signal))
  }
}

/** Streamed, because only those may take more than a minute. */
async function run(tools: UnattendedTools, input: unknown, signal: AbortSignal) {
  for await (const piece of tools.stream(input as CommandAsked, signal)) {
    if (piece.type === 'result') return piece.result
    if (piece.type === 'error') throw new ToolRefused(piece.error.code, piece.error.message)
  }
  throw new ToolRefused('tool_timed_out', 'It was given up')
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
