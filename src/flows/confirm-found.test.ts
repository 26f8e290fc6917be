import { expect, test } from 'vitest'
import { CreateAgent } from '#contract/agent.ts'
import { keepSeen } from '#db/discovered.ts'
import { agents, discovered, machines } from '#db/schema.ts'
import { newAgent } from '#domain/agent.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { confirmFound } from './confirm-found.ts'

const machineId = newId()
const seen = {
  path: '/usr/bin/tool',
  name: 'tool',
  realPath: '/usr/bin/tool',
  package: null,
  packageSource: 'none',
  version: null,
  description: null,
  class: 'tool',
  confidence: 1,
  preset: null,
  danger: 0,
  uses: 0,
  aliases: [],
} as const

async function open() {
  const pool = await freshPool()
  await pool.db.insert(machines).values({ id: machineId, name: 'here', workerId: 'w', url: 'unix:/s' })
  await pool.transaction((tx) => keepSeen(tx, machineId, [{ ...seen, aliases: [] }]))
  const [row] = await pool.db.select().from(discovered)
  const agent = {
    ...newAgent(CreateAgent.parse({ name: 'tool', binaryPath: seen.path }), undefined),
    machineId,
  }
  return { pool, wanted: [{ id: row!.id, becoming: { agent, capabilities: [] } }] }
}

test('two who confirm the same program at the same moment get the same agent', async () => {
  const { pool, wanted } = await open()
  const isMade = Promise.withResolvers<void>()
  const first = pool.transaction(async (tx) => {
    const made = await confirmFound(tx, 'here', wanted)
    isMade.resolve()
    await new Promise((resolve) => setTimeout(resolve, 300))
    return made
  })
  await isMade.promise
  const second = await pool.transaction((tx) => confirmFound(tx, 'here', wanted))
  expect(second).toEqual(await first)
  expect(await pool.db.$count(agents)).toBe(1)
})

test('one that was an agent when it was looked at, and is none any more, is not made anew without looking', async () => {
  const { pool, wanted } = await open()
  const { id } = wanted[0]!
  const confirming = pool.transaction((tx) => confirmFound(tx, 'here', [{ id, becoming: undefined }]))
  await expect(confirming).rejects.toMatchObject({ code: 'agent_changed' })
})
