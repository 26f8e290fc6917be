/** Begins a session of MCP with this token, and opens its stream. `heard` is all that comes by it, when it has ended. */
export async function openMcpStream(url: string, token: string): Promise<{ heard: Promise<string> }> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  }
  const say = (message: object, more: Record<string, string> = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const begun = await say({ id: 1, method: 'initialize', params })
  await begun.text()
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
  await (await say({ method: 'notifications/initialized' }, session)).text()
  const stream = await fetch(`${url}/mcp`, {
    headers: { ...headers, accept: 'text/event-stream', ...session },
  })
  if (stream.status !== 200) throw new Error(`No stream: ${stream.status} ${await stream.text()}`)
  return { heard: stream.text() }
}
