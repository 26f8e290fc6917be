import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openTestWorkspaces } from '../../test/support/workspaces-here.ts'
import { CreateWorkspace } from '#contract/workspace.ts'
import { audit, workspaces as table } from '#db/schema.ts'
import { listWorkspaces, readWorkspace } from '#db/workspace-reads.ts'
import { owner } from '#domain/access.ts'
import { createWorkspace } from '#flows/create-workspace.ts'
import { newId } from '#lib/id.ts'
import { registerConfigured } from './configured-workspaces.ts'

const git = 'https://bot:s3cr3t-t0ken@host/repo.git'

test('a workspace of the configuration with a password in its address is not made, and the log says why', async () => {
  const here = await openTestWorkspaces()
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const written = { driver: 'sandbox', source: { git }, egress: 'model', ports: [] } as const
  const config = () => ({ ...here.config(), workspaces: { mine: { ...written, ports: [] } } })
  await registerConfigured({ ...here, config, log })
  expect(lines.join('')).toMatch(/cannot be made/)
  expect(lines.join('')).toMatch(/source\.git: must have no password or token in it/)
  expect(lines.join('')).not.toContain('s3cr3t')
  expect(await here.pool.db.select().from(table)).toEqual([])
})

test('a password that was kept all the same is neither told nor noted', async () => {
  const { pool, machineId } = await openTestWorkspaces()
  const id = newId()
  const wanted = { ...CreateWorkspace.parse({ driver: 'sandbox' }), source: { git, ref: 'main' } }
  const place = { id, machineId, checked: { root: `/kept/${id}`, name: 'repo' } }
  await pool.transaction((tx) => createWorkspace(tx, owner, place, wanted))
  const source = { git: 'https://host/repo.git', ref: 'main' }
  expect(await readWorkspace(pool.db, id)).toMatchObject({ source })
  const { data } = await listWorkspaces(pool.db, { page: 1, pageSize: 10, trashed: 'false' })
  expect(data).toMatchObject([{ source }])
  expect(await pool.db.select().from(audit)).toMatchObject([{ subject: 'create', detail: { source } }])
})
