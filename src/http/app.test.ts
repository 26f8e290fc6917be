import { tmpdir } from 'node:os'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { home, jwtSecret } from '../../test/support/auth.ts'
import { openStaffedRegistry } from '../../test/support/registry.ts'
import { loadConfig } from '#config/config.ts'
import { openListener } from '#db/listen.ts'
import { openLiveSettings } from '#db/live-settings.ts'
import { openStreams } from '#events/streams.ts'
import { registerOwnerToken } from '#flows/register-owner-token.ts'
import { newSecret } from '#lib/secret.ts'
import { buildApp } from './app.ts'
import { openDoorkeeper } from './doorkeeper.ts'

const log = pino({ level: 'silent' })

test('whoever is refused for now is told when to come back', async () => {
  const { pool, handOver, machineId, agent, capability, execution } = await openStaffedRegistry()
  const config = loadConfig({ env: { HOME: tmpdir(), PORT: '4100' }, cwd: tmpdir() })
  const listener = openListener(pool.url, log)
  const streams = openStreams(pool.db, listener, log)
  const settings = await openLiveSettings({ config, db: pool.db, listener, log })
  const doorkeeper = openDoorkeeper(pool.db, { jwtSecret })
  const token = newSecret('test')
  await pool.transaction((tx) => registerOwnerToken(tx, home, token))
  onTestFinished(async () => {
    streams.close()
    settings.close()
    await listener.close()
  })
  const app = buildApp({ pool, streams, settings, doorkeeper, handOver, machineId, log, version: '0' })

  const { id } = await capability((await agent({ maxConcurrent: 1 })).id)
  await execution(id)
  const answer = await app.request('http://127.0.0.1:4100/api/v1/executions', {
    method: 'POST',
    headers: {
      host: '127.0.0.1:4100',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ capabilityId: id }),
  })
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5'])
})
