import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failureOf } from '#tools/fixtures/registry.ts'
import { grantsWith } from './fixtures/grants.ts'
import { openNetworkReach } from './network.ts'

test('a certificate that nobody vouches for is not accepted, whatever our environment says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reach-tls-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const kind = ['-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  execFileSync('openssl', ['req', ...kind, '-subj', '/CN=api.example', '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  let asked = 0
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
    asked += 1
    response.end('told')
  })
  server.on('tlsClientError', () => {})
  server.on('connection', (socket) => socket.on('error', () => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  })
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { network: grants } = grantsWith({ network: { hosts: ['api.example', '127.0.0.1'] } })
  const { port } = server.address() as AddressInfo
  const network = openNetworkReach({
    grants,
    own: { hosts: [], ports: [] },
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    onRequest: () => {},
  })
  const { signal } = new AbortController()
  for (const host of ['api.example', '127.0.0.1'])
    expect(await failureOf(network.fetch([{ url: `https://${host}:${port}/` }], signal))).toMatchObject({
      code: 'NETWORK_ERROR',
      message: expect.stringContaining('its certificate is not accepted'),
      details: { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT', tries: 1 },
    })
  expect(asked).toBe(0)
})
