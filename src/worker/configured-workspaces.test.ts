import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openTestWorkspaces } from '../../test/support/workspaces-here.ts'
import type { Config } from '#config/config.ts'
import { workspacesOf } from '#db/workspaces.ts'
import { registerConfigured } from './configured-workspaces.ts'

type Written = Config['workspaces'][string]

async function open() {
  const here = await openTestWorkspaces()
  const said: { workspace: string; reason: string }[] = []
  const log = pino({}, { write: (line: string) => void said.push(JSON.parse(line)) })
  const start = async (workspaces: Record<string, Written>) => {
    await registerConfigured({ ...here, log, config: () => ({ ...here.config(), workspaces }) })
    return workspacesOf(here.pool.db, here.machineId)
  }
  return { ...here, said, start }
}

const sandbox: Written = { driver: 'sandbox', egress: 'model', ports: [] }

test('a driver cannot be changed: that is said, and what is there stays, alone', async () => {
  const { start, said, work } = await open()
  const [made] = await start({ mine: sandbox })
  for (const other of [
    { ...sandbox, driver: 'docker' as const },
    { ...sandbox, driver: 'folder' as const, root: work },
  ]) {
    said.length = 0
    expect(await start({ mine: other })).toEqual([made])
    expect(said).toMatchObject([
      {
        workspace: 'mine',
        reason: expect.stringMatching(/^workspaces\.mine\.driver: .*cannot be changed to (docker|folder)/),
      },
    ])
  }
  expect(await start({ mine: { ...sandbox, ports: [8000] } })).toMatchObject([
    { id: made?.id, ports: [8000] },
  ])
})

test('another driver can be had once the old one is in the trash', async () => {
  const { start, pool } = await open()
  await start({ mine: sandbox })
  await pool.db.$client.query(`update workspaces set state = 'trashed', trashed_at = now()`)
  const rows = await start({ mine: { ...sandbox, driver: 'docker' } })
  expect(rows.map(({ driver, state }) => `${driver} ${state}`).toSorted()).toEqual([
    'docker new',
    'sandbox trashed',
  ])
})

test('its app, worktrees and logins are as they are written; what is not written is left as somebody has set it', async () => {
  const { start, work, pool } = await open()
  const folder: Written = { ...sandbox, driver: 'folder', root: work }
  const app = { command: 'npm start', port: 3000 }
  const [made] = await start({ mine: { ...folder, app, worktrees: false, logins: ['claude'] } })
  expect(made).toMatchObject({ app, worktrees: false, logins: ['claude'] })
  expect(await start({ mine: { ...folder, worktrees: true, logins: [] } })).toMatchObject([
    { id: made?.id, app, worktrees: true, logins: [] },
  ])
  await pool.db.$client.query(`update workspaces set worktrees = false, app = null`)
  expect(await start({ mine: { ...folder, ports: [8000] } })).toMatchObject([
    { worktrees: false, app: null, ports: [8000] },
  ])
})
