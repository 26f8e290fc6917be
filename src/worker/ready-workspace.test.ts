import { expect, test } from 'vitest'
import { openTestWorkspaces } from '../../test/support/workspaces-here.ts'
import { insertRule } from '#db/policy-rules.ts'
import { agents } from '#db/schema.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { WorkspaceRefusal } from '#workspaces/port.ts'
import { openReadyWorkspace } from './ready-workspace.ts'

test('what is ready is told as it is, by its real path, and nothing is done for it', async () => {
  const { insert, ready, work } = await openTestWorkspaces()
  const { id } = await insert({ app: { command: 'npm start', port: 8000 }, ports: [8000] })
  const readyWorkspace = ready(() => Promise.reject(new Error('nobody asked for this')))
  const { spec } = await readyWorkspace(id)
  expect(spec).toEqual({
    id,
    driver: 'folder',
    root: work,
    app: { command: 'npm start', port: 8000 },
    ports: [8000],
    commandRules: [],
  })
})

test('the rules for commands that hold for every agent hold inside: refusals first, the configured ones last', async () => {
  const here = await openTestWorkspaces()
  const configured = { tool: 'command', argument: 'make *', decision: 'ask' as const }
  const policies = { default: { default: 'ask' as const, rules: [configured] } }
  const config = () => ({ ...here.config(), policies })
  const { id } = await here.insert({})
  const agentId = newId()
  await here.pool.db.insert(agents).values({ id: agentId, name: 'Claude', kind: 'coding' })
  for (const [argument, effect, tool, of] of [
    ['git *', 'allow', 'command', null],
    ['git push*', 'ask', 'command', null],
    ['rm *', 'deny', 'command', null],
    ['ls *', 'deny', 'command', agentId],
    [null, 'deny', 'fetch', null],
  ] as const)
    await here.pool.transaction((tx) =>
      insertRule(tx, { id: newId(), agentId: of, tool, argument, effect, createdBy: 'owner' }),
    )
  const { spec } = await openReadyWorkspace({ ...here, config, prepare: () => Promise.resolve() })(id)
  expect(spec.commandRules).toEqual([
    { pattern: 'rm *', decision: 'deny' },
    { pattern: 'git push*', decision: 'ask' },
    { pattern: 'git *', decision: 'allow' },
    { pattern: 'make *', decision: 'ask' },
  ])
})

test('one that is new is prepared once, however many ask for it, and the board is told', async () => {
  const { insert, ready, read, pool } = await openTestWorkspaces()
  const { id } = await insert({ state: 'new' })
  const begun = Promise.withResolvers<void>()
  let times = 0
  const readyWorkspace = ready(async (_row, tell, note) => {
    times += 1
    tell('bringing it')
    await begun.promise
    await note({ branch: 'main' })
  })
  const heard: string[] = []
  const asked = Promise.all([1, 2, 3].map(() => readyWorkspace(id, (line) => void heard.push(line))))
  await expect.poll(async () => (await read(id)).state).toBe('preparing')
  begun.resolve()
  for (const { row } of await asked)
    expect(row).toMatchObject({ state: 'ready', branch: 'main', error: null })
  expect([times, heard]).toEqual([1, ['bringing it']])
  const { rows } = await pool.db.$client.query(
    `select payload->'workspace'->>'state' as state from events where type = 'workspace.changed' order by seq`,
  )
  expect(rows.map(({ state }) => state)).toEqual(['preparing', 'preparing', 'ready'])
})

test.each([
  [new WorkspaceRefusal('git_failed', 'no such branch'), 'git_failed', 'no such branch'],
  [new Problem('workspace_failed', 'the setup failed'), 'workspace_failed', 'the setup failed'],
  [new Error('ENOENT /secret/place'), 'workspace_failed', 'its log says what'],
])('one that cannot be prepared says why, and is tried again: %s', async (error, code, why) => {
  const { insert, ready, read } = await openTestWorkspaces()
  const name = 'Title of a session'
  const { id } = await insert({ state: 'preparing', name }) // as a worker that was killed has left it
  let isBroken = true
  const readyWorkspace = ready(async () => {
    if (isBroken) throw error
  })
  await expect(readyWorkspace(id)).rejects.toMatchObject({ code, message: expect.stringContaining(why) })
  await expect(readyWorkspace(id)).rejects.not.toThrow(name) // an execution's error is told to everybody
  const failed = await read(id)
  expect(failed).toMatchObject({ state: 'failed', error: expect.stringContaining(why) })
  expect(failed.error).not.toContain('/secret')
  isBroken = false
  expect((await readyWorkspace(id)).row).toMatchObject({ state: 'ready', error: null })
})

test('what is not there, not here, or in the trash is none', async () => {
  const { insert, ready } = await openTestWorkspaces()
  const readyWorkspace = ready(() => Promise.resolve())
  await expect(readyWorkspace(newId())).rejects.toMatchObject({ code: 'workspace_not_found' })
  const { id } = await insert({ state: 'trashed' })
  await expect(readyWorkspace(id)).rejects.toMatchObject({ code: 'workspace_trashed' })
})

test('without its driver it is refused with the reason, and never opened in another way', async () => {
  const { insert, ready, read, sandbox, home } = await openTestWorkspaces()
  const { id } = await insert({ driver: 'sandbox', state: 'new', root: `${home}/x` })
  let times = 0
  const readyWorkspace = ready(async () => void (times += 1))
  Object.assign(sandbox, { works: false, reason: 'apt install bubblewrap' })
  await expect(readyWorkspace(id)).rejects.toMatchObject({
    code: 'driver_unavailable',
    message: expect.stringContaining('apt install bubblewrap'),
  })
  expect([times, (await read(id)).state]).toEqual([0, 'new'])
  Object.assign(sandbox, { works: true, reason: null })
  expect((await readyWorkspace(id)).spec).toMatchObject({
    driver: 'sandbox',
    egress: 'model',
    limits: { memoryMb: 512, cpus: 0.5, pids: 128 },
  })
})
