import { expect, it } from 'vitest'
import { SourceConfig } from '#contract/source.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { registerMachine } from './machine-life.ts'
import { keepSourceHome } from './source-homes.ts'
import { deleteSources, insertSources } from './sources.ts'

it('keeps where credentials belong until the owner gives another address, and no longer than the source', async () => {
  const pool = await freshPool()
  const [machineId, id] = [newId(), newId()]
  await registerMachine(pool.db, { id: machineId, name: 'here', workerId: machineId, url: 'unix:/nowhere' })
  const config = SourceConfig.parse({ transport: 'openapi', url: 'https://docs.example/api.json' })
  const row = { id, name: 'pets', machineId, origin: 'api' as const, config, createdBy: 'owner' }
  const insert = () => pool.transaction((tx) => insertSources(tx, [row]))
  const keep = (origin: string, address = 'https://docs.example/api.json?key=secret') =>
    keepSourceHome(pool.db, { id, address, origin })
  await insert()
  expect(await keep('https://api.example')).toBe('https://api.example')
  expect(await keep('https://evil.example')).toBe('https://api.example')
  const { rows } = await pool.db.$client.query('select * from tool_pins')
  expect(JSON.stringify(rows)).not.toContain('secret')
  expect(await keep('https://new.example', 'https://docs.example/v2.json')).toBe('https://new.example')
  await pool.transaction((tx) => deleteSources(tx, [id]))
  expect(await keep('https://gone.example')).toBe('https://gone.example')
  await insert()
  expect(await keep('https://again.example')).toBe('https://again.example')
})
