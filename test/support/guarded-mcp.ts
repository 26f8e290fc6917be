import { Hono } from 'hono'
import type { Env } from '#http/room.ts'
import { serveApp } from './bare-app.ts'

export interface GuardedMcp {
  url: string
  /** The tokens that were shown, in their order; none is an empty one. */
  shown: string[]
  /** Which scope it wants of everybody, and of whoever calls `administer`. */
  wants: { scope?: string }
  /** Sends whoever asks to another host. */
  redirectsTo?: string
  /** Names another issuer than the one that gave the tokens. */
  issuer: string
  close(): Promise<void>
}

const tools = ['who_am_i', 'administer'].map((name) => ({
  name,
  description: 'Says which token was shown',
  inputSchema: { type: 'object' },
}))

/** A small MCP server (2025-11-25, streamable HTTP, without sessions) that only answers to tokens of its issuer. */
export async function guardedMcp(issuer: string, tokens: ReadonlyMap<string, string>): Promise<GuardedMcp> {
  const app = new Hono<Env>()
  const served = await serveApp(app)
  const about = `${served.url}/.well-known/oauth-protected-resource/mcp`
  const mcp: GuardedMcp = {
    url: `${served.url}/mcp`,
    shown: [],
    wants: {},
    issuer,
    close: () => served.close(),
  }
  app.get('/.well-known/oauth-protected-resource/mcp', (c) =>
    c.json({ resource: mcp.url, authorization_servers: [mcp.issuer] }),
  )
  app.post('/mcp', async (c) => {
    if (mcp.redirectsTo !== undefined) return c.redirect(mcp.redirectsTo, 307)
    const token = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    mcp.shown.push(token)
    const scope = tokens.get(token)
    const wanted = mcp.wants.scope === undefined ? '' : `, scope="${mcp.wants.scope}"`
    if (scope === undefined) {
      c.header('www-authenticate', `Bearer resource_metadata="${about}"${wanted}`)
      return c.json({ error: 'unauthorized' }, 401)
    }
    const { id, method, params } = await c.req.json<{
      id?: number
      method: string
      params?: { name?: string; protocolVersion?: string }
    }>()
    if (params?.name === 'administer' && !scope.split(' ').includes('admin')) {
      c.header(
        'www-authenticate',
        `Bearer error="insufficient_scope", scope="admin", resource_metadata="${about}"`,
      )
      return c.json({ error: 'insufficient_scope' }, 403)
    }
    if (id === undefined) return c.body(null, 202)
    const result = answerTo(method, params?.protocolVersion, token)
    if (!result) return c.json({ jsonrpc: '2.0', id, error: { code: -32_601, message: `No ${method}` } })
    return c.json({ jsonrpc: '2.0', id, result })
  })
  app.all('/mcp', (c) => c.body(null, 405))
  return mcp
}

function answerTo(method: string, protocolVersion: string | undefined, token: string): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'guarded', version: '1.0.0' },
    }
  if (method === 'tools/list') return { tools }
  if (method === 'tools/call') return { content: [{ type: 'text', text: `You are ${token}` }] }
  return method === 'ping' ? {} : undefined
}
