import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { WorkspaceSpec } from '#contract/workspace.ts'
import { findExecution } from '#db/executions.ts'
import { tokens } from '#db/schema.ts'
import { findToken } from '#db/tokens.ts'
import { putWeb } from '#db/webs.ts'
import { newId } from '#lib/id.ts'
import { redactText } from '#lib/redact.ts'
import { hashSecret } from '#lib/secret.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { giveOwnTools, ownForward } from './own-tools.ts'

const folder: WorkspaceSpec = { id: newId(), driver: 'folder', root: '/' }
const walled = (forwards: { name: string; url: string; headers: Record<string, string> }[]) =>
  ({ id: newId(), driver: 'sandbox', root: '/', forwards }) as unknown as WorkspaceSpec

async function open(env: Record<string, string> = {}) {
  const pool = await freshPool()
  const config = loadConfig({ env: { HOME: '/nowhere', ...env }, cwd: '/' })
  const row = (await findExecution(pool.db, (await seedExecution(pool)).id))!
  const give = (workspace: WorkspaceSpec = folder) => giveOwnTools(pool.db, config, row, workspace)
  const ofAgents = () => pool.db.select().from(tokens).where(eq(tokens.kind, 'agent'))
  return { pool, config, row, give, ofAgents }
}

test('an agent gets nothing while no web has ever served', async () => {
  const { give, ofAgents } = await open()
  expect(await give()).toBeNull()
  expect(await ofAgents()).toEqual([])
})

test('an agent is told of the web of its own home, or else of the one that began last', async () => {
  const { pool, row, give } = await open()
  await putWeb(pool.db, newId(), 'http://one:1')
  await putWeb(pool.db, newId(), 'http://two:2')
  expect(await give()).toMatchObject({ url: 'http://two:2/mcp' })
  await putWeb(pool.db, row.machineId, 'http://own:3')
  await putWeb(pool.db, newId(), 'http://four:4')
  expect(await give()).toMatchObject({ url: 'http://own:3/mcp' })
  await putWeb(pool.db, row.machineId, 'http://own:5')
  expect(await give()).toMatchObject({
    url: 'http://own:5/mcp',
    program: { args: [expect.stringMatching(/signalbox\.ts$/), 'mcp'] },
  })
})

test('where there is a public address, that is the one', async () => {
  const { pool, row, give } = await open({ PUBLIC_URL: 'https://box.example/' })
  await putWeb(pool.db, row.machineId, 'http://own:3')
  expect(await give()).toMatchObject({ url: 'https://box.example/mcp' })
})

test('inside walls it is the forward, where the walls have it, and no program of ours', async () => {
  const { pool, config, row, give } = await open()
  await putWeb(pool.db, row.machineId, 'http://own:3')
  const forwards = await ownForward(pool.db, config, row.machineId)
  expect(forwards).toEqual([{ name: 'mcp', url: 'http://own:3/mcp', headers: {} }])
  const given = await give(walled(forwards))
  expect(given?.url).toBe('http://127.0.0.1:3129/mcp')
  expect(given).not.toHaveProperty('program')
  expect(await give(walled([]))).toBeNull()
})

test('the token belongs to the session and the execution, is kept as a hash alone, and every log leaves it out', async () => {
  const { pool, row, give, ofAgents } = await open()
  await putWeb(pool.db, row.machineId, 'http://own:3')
  const [one, other] = [await give(), await give()]
  expect(one?.token).not.toBe(other?.token)
  expect(await findToken(pool.db, hashSecret(one?.token ?? ''))).toMatchObject({ kind: 'agent' })
  expect(await ofAgents()).toMatchObject([
    { sessionId: row.sessionId, executionId: row.id },
    { sessionId: row.sessionId, executionId: row.id },
  ])
  expect(JSON.stringify(await ofAgents())).not.toContain(one?.token)
  expect(redactText(`it says ${one?.token} here`)).toBe('it says [redacted] here')
})
