import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { untilReady } from './connect.ts'
import { launchServer } from './server.ts'
import { openServerLog } from './server-log.ts'

it('is told as ended, however soon it ends', async () => {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const log = openServerLog(home)
  const account = { kind: 'own', wrapper: ['sh', '-c', 'echo "at [$$] gone"', 'sh'], native: '' } as const
  const outcomes = []
  const words = []
  for (let time = 1; time <= 50; time++) {
    const server = launchServer(account, home, home, log)
    outcomes.push(await untilReady(server, home, 'secret', { log: pino({ level: 'silent' }) }))
    await server.exited
    words.push(log.linesOf(server.identity.pid) === `at [${server.identity.pid}] gone`)
  }
  expect(outcomes).toEqual(Array(50).fill('ended'))
  expect(words).toEqual(Array(50).fill(true))
})
