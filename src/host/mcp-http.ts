import type { IncomingMessage, ServerResponse } from 'node:http'
import { ToolRefused } from '#lib/tool-refused.ts'
import { readJsonBody, sendJson, untilHungUp } from './http-answers.ts'
import { answerRequest, introducedVersions, readMessage, refusal, rpcError, statelessVersion } from './mcp.ts'
import type { Reply, RpcRequest } from './mcp.ts'
import type { UnattendedTools } from './unattended-tools.ts'

/** One message by POST, and its answer as JSON. There is no stream for what nobody asked, so GET gets 405. */
export async function answerMcp(
  tools: UnattendedTools,
  request: IncomingMessage,
  response: ServerResponse,
  longestBody: number,
): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(405, { allow: 'POST' }).end()
    return
  }
  const body = await readJsonBody(request, longestBody).catch((error: unknown) => {
    if (error instanceof ToolRefused && error.code === 'bad_json') return undefined
    throw error
  })
  if (body === undefined) return send(response, 400, refusal(null, rpcError.parse, 'The body is not JSON'))
  const message = readMessage(body)
  if (!message || 'notification' in message) {
    response.writeHead(202).end()
    return
  }
  if ('reply' in message) return send(response, 400, message.reply)
  const wrong = wrongWithHeaders(request, message.request)
  const reply = wrong ?? (await answerRequest(tools, message.request, untilHungUp(response)))
  send(response, statusOf(reply, message.request), reply)
}

const send = (response: ServerResponse, status: number, reply: Reply) => sendJson(response, status, reply)

/** Those who introduce themselves get errors with 200, as they always did. */
function statusOf(reply: Reply, { version, method }: RpcRequest): number {
  if (!('error' in reply)) return 200
  const { code } = reply.error
  if (code === rpcError.version || code === rpcError.headerMismatch) return 400
  if (version === undefined && method !== 'server/discover') return 200
  return code === rpcError.method ? 404 : code === rpcError.params ? 400 : 200
}

/** What is said twice has to be the same: somebody in between may have decided by the headers. */
function wrongWithHeaders({ headers }: IncomingMessage, request: RpcRequest): Reply | undefined {
  const { id, method, params, version } = request
  const named = headers['mcp-protocol-version']
  if (version === undefined && method !== 'server/discover') {
    if (named === undefined || introducedVersions.includes(String(named))) return undefined
    const data = { supported: [...introducedVersions, statelessVersion], requested: named }
    return refusal(id, rpcError.version, `Version ${String(named)} is not spoken here`, data)
  }
  const pairs: [string, unknown, unknown][] = [
    ['MCP-Protocol-Version', named, version],
    ['Mcp-Method', headers['mcp-method'], method],
    ...(method === 'tools/call'
      ? [['Mcp-Name', headers['mcp-name'], params['name']] as [string, unknown, unknown]]
      : []),
  ]
  const [wrong] = pairs.find(([, header, said]) => header !== said) ?? []
  if (wrong === undefined) return undefined
  return refusal(id, rpcError.headerMismatch, `The header ${wrong} does not say the same as the body`)
}
