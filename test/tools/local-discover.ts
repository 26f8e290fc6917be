/**
 * Some servers of the suite speak the protocol of 2026 but do not answer its first question, by which it is found out. Their scenarios are about
 * what comes after; so the question is answered here, and everything else is the server's.
 */
export function discoverHere(): void {
  const { fetch } = globalThis
  globalThis.fetch = (input, init) => {
    const asked =
      typeof init?.body === 'string' ? (JSON.parse(init.body) as { id: unknown; method: string }) : undefined
    if (asked?.method !== 'server/discover') return fetch(input, init)
    const result = {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'suite', version: '1.0.0' } },
    }
    return Promise.resolve(Response.json({ jsonrpc: '2.0', id: asked.id, result }))
  }
}
