import { expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { SourceConfig } from '#contract/source.ts'
import { registerMachine, sayGoodbye } from '#db/machine-life.ts'
import { addSource } from '#flows/add-source.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { machineForMcp } from './mcp-machine.ts'
import type { Parts } from './room.ts'

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

test('people are answered by this machine, else by one whose worker lives', async () => {
  const pool = await freshPool()
  const [here, there, silent] = [newId(), newId(), newId()]
  for (const [name, id] of Object.entries({ a_silent: silent, b_there: there, c_here: here }))
    await registerMachine(pool.db, { id, name, workerId: id, url: `unix:/${name}` })
  await pool.db.$client.query(`update machines set seen_at = now() - interval '1 minute' where id = $1`, [
    silent,
  ])
  const settings = { current: () => ({ worker: { staleAfterMs: 30_000 } }) } as Parts['settings']
  const by: Principal = { kind: 'user', id: newId(), name: 'ada', scopes: ['tools'] }
  const chosen = () => machineForMcp({ pool, machineId: here, settings }, by, undefined)
  expect(await chosen()).toEqual({ id: here, name: 'c_here', url: 'unix:/c_here' })
  await sayGoodbye(pool.db, here)
  expect(await chosen()).toMatchObject({ id: there })
  await sayGoodbye(pool.db, there)
  await expect(chosen()).rejects.toMatchObject({ code: 'machine_unavailable' })
})
