import { expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { SourceConfig } from '#contract/source.ts'
import { registerMachine } from '#db/machine-life.ts'
import { addSource } from '#flows/add-source.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { machineForMcp } from './mcp-machine.ts'

test('a source that is not granted is as one that is not there', async () => {
  const pool = await freshPool()
  const machineId = newId()
  await registerMachine(pool.db, { id: machineId, name: 'here', workerId: machineId, url: 'unix:/nowhere' })
  const config = SourceConfig.parse({ transport: 'stdio', command: 'sh', grants: ['ada'] })
  await pool.transaction((tx) =>
    addSource(tx, 'owner', { id: newId(), name: 'one', machineId, origin: 'api', config, secrets: null }),
  )
  const parts = { pool, machineId, settings: undefined as never }
  const by = (name: string) => ({ kind: 'user', id: newId(), name, scopes: ['tools'] }) as Principal
  expect(await machineForMcp(parts, by('ada'), 'one')).toMatchObject({ id: machineId })
  for (const source of ['one', 'two'])
    await expect(machineForMcp(parts, by('bob'), source)).rejects.toMatchObject({
      code: 'source_not_found',
      message: `There is no source ${source} that you may use`,
    })
})
