import { expect, test } from 'vitest'
import { listAgents, updateAgent } from '#db/agents.ts'
import { listCapabilities } from '#db/capabilities.ts'
import { machines } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { theChatAgent } from './the-chat-agent.ts'

async function openWith(...names: string[]) {
  const pool = await freshPool()
  const all = names.map((name) => ({ id: newId(), name }))
  await pool.db
    .insert(machines)
    .values(all.map(({ id, name }) => ({ id, name, workerId: id, url: 'unix:/nowhere' })))
  const chatOn = (machine: { id: string; name: string } | undefined) => {
    if (!machine) throw new Error('there is no such machine')
    return pool.transaction((tx) => theChatAgent(tx, machine))
  }
  return { pool, all, chatOn }
}

test('a machine has one agent for chat with models, which can be asked in words at once', async () => {
  const { pool, all, chatOn } = await openWith('here')
  const agent = await chatOn(all[0])
  expect(agent).toMatchObject({
    name: 'Chat',
    kind: 'model',
    adapter: 'chat',
    builtin: true,
    machineId: all[0]?.id,
    binaryPath: null,
    permissionPolicy: 'ask',
    active: true,
  })
  expect(await listCapabilities(pool.db, agent.id)).toMatchObject([
    { key: 'ask', interactionMode: 'prompt', promptTemplate: null, timeoutSec: 3600 },
  ])
  expect(await chatOn(all[0])).toEqual(agent)
  expect(await listCapabilities(pool.db, agent.id)).toHaveLength(1)
})

test('whoever comes at once to a new machine finds the same one', async () => {
  const { pool, all, chatOn } = await openWith('here')
  const found = await Promise.all(Array.from({ length: 6 }, () => chatOn(all[0])))
  expect(new Set(found.map(({ id }) => id)).size).toBe(1)
  expect(await listAgents(pool.db)).toHaveLength(1)
})

test('what its owner has made of it stays, and its name is found again', async () => {
  const { pool, all, chatOn } = await openWith('here')
  const { id } = await chatOn(all[0])
  const changes = { name: 'Talk', model: 'google', active: false }
  await pool.transaction((tx) => updateAgent(tx, id, changes))
  expect(await chatOn(all[0])).toMatchObject({ id, ...changes })
  expect(await listAgents(pool.db)).toHaveLength(1)
})

test('each machine has its own, under a name that is free, also when all begin at once', async () => {
  const { all, chatOn } = await openWith('here', 'there', 'there')
  const made = await Promise.all(all.map(chatOn))
  expect(new Set(made.map(({ id }) => id)).size).toBe(3)
  expect(new Set(made.map(({ machineId }) => machineId)).size).toBe(3)
  expect(made.filter(({ name }) => name === 'Chat')).toHaveLength(1)
  for (const { name } of made) expect(name).toMatch(/^Chat( on (here|there|[\da-f-]{36}))?$/)
})
