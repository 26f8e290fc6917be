import { isLoopback } from '#lib/loopback.ts'
import type { Shape } from './shape.ts'

/** Values that are fine alone and wrong together. The path is of the one to change. */
export function contradictions(tree: Shape, isBridge = false): { path: string; what: string }[] {
  const { server, worker, sandbox, security, bridge } = tree
  const found: { path: string; what: string }[] = []
  const wrong = (path: string, what: string) => void found.push({ path, what })

  if (!isLoopback(server.host) && isBridge) {
    if (bridge.token === undefined)
      wrong('server.host', `${server.host} is reachable from other machines: set AGENT_TOKEN (bridge.token)`)
  } else if (!isLoopback(server.host)) {
    const why = `${server.host} is reachable from other machines`
    if (server.publicUrl === undefined)
      wrong(
        'server.host',
        `${why}, so browsers need TLS: put a proxy with TLS in front and set PUBLIC_URL (server.publicUrl) to its ` +
          'address, for example https://signalbox.example.com; or listen on 127.0.0.1',
      )
    else if (!server.publicUrl.startsWith('https:') && !server.trustProxy)
      wrong(
        'server.publicUrl',
        `is not https and ${why}; use an https address, or set TRUST_PROXY=true (server.trustProxy) if a proxy you ` +
          'trust stands in front',
      )
  }
  if (server.port !== 0 && server.port === server.terminalPort)
    wrong('server.terminalPort', `must differ from server.port (PORT), which is ${server.port} too`)
  if (worker.staleAfter < 2 * worker.heartbeatInterval)
    wrong(
      'worker.staleAfter',
      `must be at least twice the heartbeat (worker.heartbeatInterval, HEARTBEAT_INTERVAL_MS), so at least ` +
        `${2 * worker.heartbeatInterval}`,
    )
  if (worker.lostAfter < worker.staleAfter)
    wrong(
      'worker.lostAfter',
      `must be at least worker.staleAfter (STALE_AFTER_MS), which is ${worker.staleAfter}: what is out of reach is given up later, not earlier`,
    )
  if (sandbox.workers.max !== undefined && sandbox.workers.max < sandbox.workers.min)
    wrong('sandbox.workers.max', `must be at least sandbox.workers.min, which is ${sandbox.workers.min}`)
  const { provider, issuer, audience } = security.auth
  if (provider === 'oauth2' && issuer === undefined)
    wrong(
      'security.auth.provider',
      'oauth2 needs security.auth.issuer (OIDC_ISSUER), for example https://auth.example.com',
    )
  if (issuer !== undefined && audience === undefined)
    wrong(
      'security.auth.issuer',
      'needs security.auth.audience (OIDC_AUDIENCE); without it a token made for another program would be accepted',
    )
  return found
}
