import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freshPool } from '../../test/support/postgres.ts'
import { openToolsHere } from './tools-here.ts'
import type { ToolsNeeds } from './tools-here.ts'

test('sources that could not be begun are tried again', async () => {
  const pool = await freshPool()
  const home = mkdtempSync(join(tmpdir(), 'signalbox-tools-here-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  let asked = 0
  const db = new Proxy(pool.db, {
    get(target, name) {
      if (name !== 'select') return Reflect.get(target, name)
      asked += 1
      if (asked === 1) throw new Error('The database is away')
      return target.select.bind(target)
    },
  })
  const said: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void said.push(line) })
  const config = () => ({ home, mcp: { servers: {} } })
  const listener = { listen: () => () => undefined }
  const machineId = '0190a5c2-0000-7000-8000-000000000001'
  const here = openToolsHere({
    pool: { ...pool, db },
    machineId,
    config,
    log,
    listener,
  } as unknown as ToolsNeeds)
  await vi.waitUntil(() => asked === 2, { timeout: 15_000 })
  expect(said.join()).toContain('could not be begun, and are tried again')
  await here.close()
})
