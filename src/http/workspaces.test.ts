import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { ada, bob, openStaffedRegistry } from '../../test/support/registry.ts'
import { owner } from '#domain/access.ts'
import { executions, sessions, workspaces } from '#db/schema.ts'
import { changeWorkspace } from '#flows/change-workspace.ts'
import { forgetWorkspace, trashWorkspace } from '#flows/trash-workspace.ts'
import { insertSession } from '#db/sessions.ts'
import type { WorkspaceChanges } from '#db/workspaces.ts'
import { newId } from '#lib/id.ts'

interface Answer {
  status: number
  body: { error?: { code: string } }
}
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]

/** A registry whose worker finds every folder where it is said to be. */
async function open() {
  const box = await openStaffedRegistry()
  box.worker.answer = (asked) => {
    const { root, id } = asked as { root: string | null; id: string }
    return { data: { root: root ?? `/kept/${id}`, name: 'called so by its machine' } }
  }
  const folder = async (root: string, more: object = {}) => {
    const answer = await box.call('POST', '/workspaces', { driver: 'folder', root, ...more })
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
    return answer.body.data
  }
  const sessionOf = (createdBy: string, workspaceId: string) =>
    box.pool.transaction((tx) => insertSession(tx, { id: newId(), title: 'Work', createdBy, workspaceId }))
  return { ...box, folder, sessionOf }
}

describe('making a workspace', () => {
  test('keeps the place that the machine says, and is ready when its files are there', async () => {
    const { call, worker, machineId } = await open()
    const { status, body } = await call('POST', '/workspaces', { driver: 'folder', root: '/repo' })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      name: 'called so by its machine',
      machineId,
      driver: 'folder',
      root: '/repo',
      state: 'ready',
      egress: 'model',
      worktrees: true,
      running: false,
      createdBy: 'owner',
    })
    expect(body.data).not.toHaveProperty('snapshot')
    expect(worker.asked).toMatchObject([{ path: '/check-workspace', driver: 'folder', root: '/repo' }])
    expect((await call('GET', `/workspaces/${body.data.id}`)).body.data).toEqual(body.data)
    expect((await call('GET', '/workspaces')).body.meta.total).toBe(1)
  })

  test('is new when there is still something to do for it', async () => {
    const { call, folder } = await open()
    expect(await folder('/repo', { setup: 'npm ci' })).toMatchObject({ state: 'new' })
    const made = await call('POST', '/workspaces', {
      driver: 'sandbox',
      source: { git: 'https://host/a.git' },
    })
    expect(made.body.data).toMatchObject({ state: 'new', driver: 'sandbox' })
  })

  test.each([
    [{ driver: 'folder' }, 'root'],
    [{ driver: 'docker', root: '/repo' }, 'root'],
    [{ driver: 'folder', root: '/repo', source: { path: '/a' } }, 'source'],
    [{ driver: 'sandbox', image: 'node:24' }, 'image'],
    [{ driver: 'docker', egress: ['not a host'] }, 'egress'],
    [{ driver: 'docker', source: { git: 'a', path: 'b' } }, 'source'],
    [{ driver: 'chroot' }, 'driver'],
    [{ driver: 'docker', logins: ['netscape'] }, 'logins'],
  ])('%j does not fit', async (wanted, field) => {
    const { call, worker } = await open()
    const answer = await call('POST', '/workspaces', wanted)
    expect(codeOf(answer)).toEqual([422, 'does_not_fit'])
    expect(JSON.stringify(answer.body.error.context)).toContain(field)
    expect(worker.asked).toEqual([])
  })

  test('is refused for the reason that its machine has', async () => {
    const { call, worker, pool } = await open()
    worker.status = 400
    worker.answer = () => ({ error: { code: 'driver_unavailable', message: 'start the engine' } })
    const answer = await call('POST', '/workspaces', { driver: 'docker' })
    expect(codeOf(answer)).toEqual([503, 'driver_unavailable'])
    expect(answer.body.error.message).toBe('start the engine')
    expect(await pool.db.$count(workspaces)).toBe(0)
  })

  test('is refused for a folder that is one already, and brings back one that was forgotten', async () => {
    const { call, folder, pool } = await open()
    const { id } = await folder('/repo')
    const again = await call('POST', '/workspaces', { driver: 'folder', root: '/repo' })
    expect(codeOf(again)).toEqual([409, 'workspace_exists'])
    expect(again.body.error.context).toEqual({ workspaceId: id })
    await pool.transaction((tx) => trashWorkspace(tx, owner, id))
    expect(await folder('/repo', { name: 'back' })).toMatchObject({ id, name: 'back', trashedAt: null })
  })
})

describe('who may', () => {
  test('make, change and remove: the owner alone, and no machine is asked for anybody else', async () => {
    const { as, folder, worker, sessionOf } = await open()
    const { id } = await folder('/repo')
    await sessionOf(ada.id, id)
    worker.asked.length = 0
    for (const [method, path, body] of [
      ['POST', '/workspaces', { driver: 'folder', root: '/other' }],
      ['PATCH', `/workspaces/${id}`, { egress: 'open' }],
      ['DELETE', `/workspaces/${id}`],
      ['POST', `/workspaces/${id}/merge`, {}],
      ['POST', `/workspaces/${id}/archive`, {}],
      ['POST', `/workspaces/${id}/prepare`],
      ['POST', `/workspaces/${id}/stop`],
      ['POST', `/workspaces/${id}/restore`],
      ['POST', '/workspaces/prune', { dryRun: true }],
      ['GET', '/workspaces/archives'],
      ['GET', '/workspaces/archives/a'],
      ['DELETE', '/workspaces/archives/a'],
    ] as const)
      expect([path, ...codeOf(await as(ada, method, path, body))]).toEqual([path, 403, 'forbidden'])
    expect(worker.asked).toEqual([])
  })

  test('see: those who have a session in it; for others it does not exist', async () => {
    const { as, call, folder, sessionOf } = await open()
    const [theirs, other] = [await folder('/repo'), await folder('/other')]
    await sessionOf(ada.id, theirs.id)
    expect((await as(ada, 'GET', '/workspaces')).body.data.map(({ id }: { id: string }) => id)).toEqual([
      theirs.id,
    ])
    expect((await as(ada, 'GET', `/workspaces/${theirs.id}`)).status).toBe(200)
    for (const path of [`/workspaces/${other.id}`, `/workspaces/${other.id}/diff`])
      expect(codeOf(await as(ada, 'GET', path))).toEqual([404, 'workspace_not_found'])
    expect((await as(bob, 'GET', '/workspaces')).body.meta.total).toBe(0)
    expect(codeOf(await as(bob, 'POST', `/workspaces/${theirs.id}/commit`, { message: 'Mine' }))).toEqual([
      404,
      'workspace_not_found',
    ])
    expect((await call('GET', '/workspaces')).body.meta.total).toBe(2)
  })

  test('count the sessions in it: all for the owner, their own for others', async () => {
    const { as, call, folder, sessionOf } = await open()
    const { id } = await folder('/repo')
    for (const who of [ada.id, ada.id, bob.id]) await sessionOf(who, id)
    expect((await call('GET', '/workspaces')).body.data[0]).toMatchObject({ sessions: 3, live: 0 })
    expect((await as(ada, 'GET', '/workspaces')).body.data[0].sessions).toBe(2)
    expect((await as(bob, 'GET', `/workspaces/${id}`)).body.data.sessions).toBe(1)
  })

  test('measure it, or delete it for good: the owner alone', async () => {
    const { as, call, folder, sessionOf, worker } = await open()
    const { id } = await folder('/repo')
    await sessionOf(ada.id, id)
    for (const verb of ['measure', 'forget'])
      expect((await as(ada, 'POST', `/workspaces/${id}/${verb}`)).status).toBe(403)
    worker.answer = () => ({ data: { filesRemoved: true, message: 'Gone' } })
    expect((await call('POST', `/workspaces/${id}/forget`)).body.data).toMatchObject({ message: 'Gone' })
    expect((await call('POST', `/workspaces/${newId()}/forget`)).status).toBe(404)
    expect(worker.asked.at(-1)).toMatchObject({ verb: 'forget', workspaceId: id })
  })

  test('commit: those who have a session in it, by the machine that has it', async () => {
    const { as, folder, worker, sessionOf } = await open()
    const { id } = await folder('/repo')
    await sessionOf(ada.id, id)
    worker.asked.length = 0
    worker.answer = () => ({ data: { commit: 'c0ffee', branch: 'main' } })
    const { status } = await as(ada, 'POST', `/workspaces/${id}/commit`, { message: 'Mine' })
    expect(status).toBe(200)
    expect(worker.asked).toMatchObject([
      {
        path: '/workspace-verb',
        verb: 'commit',
        workspaceId: id,
        by: { id: ada.id },
        input: { message: 'Mine' },
      },
    ])
  })

  test('name one to work in: those who have a session in it; for others it does not exist', async () => {
    const { as, call, folder, sessionOf, worker, agent, capability, pool, machineId } = await open()
    const [hers, other] = [await folder('/repo'), await folder('/other')]
    const { id: sessionId } = await sessionOf(ada.id, hers.id)
    const worktree = newId()
    await pool.db.insert(workspaces).values({
      id: worktree,
      machineId,
      driver: 'folder',
      root: '/kept/worktree',
      name: 'Her plan',
      parentId: hers.id,
      sessionId,
    })
    await pool.db.update(sessions).set({ workspaceId: worktree }).where(eq(sessions.id, sessionId))
    worker.answer = (asked) => ({ data: asked })
    const { id: agentId } = await agent()
    const { id: capabilityId } = await capability(agentId)
    const bobs = (await as(bob, 'POST', '/sessions', { agentId })).body.data
    const bodiesFor = (workspaceId: string) =>
      [
        ['/sessions', { agentId, workspaceId }],
        ['/executions', { capabilityId, workspaceId }],
        ['/executions', { capabilityId, workspaceId, sessionId: bobs.id }],
      ] as const
    for (const id of [worktree, other.id, newId()])
      for (const [path, body] of bodiesFor(id)) {
        const answer = await as(bob, 'POST', path, body)
        expect([path, ...codeOf(answer)]).toEqual([path, 422, 'does_not_fit'])
        expect(answer.body.error.context.fields).toEqual([
          { field: 'workspaceId', reason: `there is no workspace ${id}` },
        ])
      }
    expect((await as(bob, 'GET', `/workspaces/${worktree}`)).status).toBe(404)
    expect((await as(ada, 'POST', '/sessions', { agentId, workspaceId: worktree })).status).toBe(201)
    expect((await as(bob, 'POST', '/sessions', { agentId, workspaceId: bobs.workspaceId })).status).toBe(201)
    expect((await call('POST', '/sessions', { agentId, workspaceId: worktree })).status).toBe(201)
  })

  test('go on where a turn of their session ran, although the session itself was given no place', async () => {
    const { as, folder, worker, agent, capability, pool } = await open()
    const { id: workspaceId } = await folder('/where-all-are-that-nobody-placed')
    worker.answer = (asked) => ({ data: asked })
    const { id: agentId } = await agent({ workingDir: undefined })
    const { id: capabilityId } = await capability(agentId, { commandTokens: ['{{prompt}}'] })
    const first = (await as(ada, 'POST', '/executions', { capabilityId, prompt: 'log' })).body.data
    expect(first.workspaceId).toBeNull()
    await pool.db.update(executions).set({ workspaceId, status: 'succeeded', endedAt: new Date() })
    const said = await as(ada, 'POST', `/executions/${first.id}/messages`, { text: 'log' })
    expect(said.status).toBe(200)
    const next = (await as(ada, 'GET', `/executions/${said.body.data.executionId}`)).body.data
    expect(next).toMatchObject({ sessionId: first.sessionId, workspaceId })
    const elsewhere = await as(ada, 'POST', '/executions', { capabilityId, prompt: 'log', workspaceId })
    expect(codeOf(elsewhere)).toEqual([422, 'does_not_fit'])
  })
})

describe('changing a workspace', () => {
  test('is told on the board and in the audit', async () => {
    const { call, folder, pool } = await open()
    const { id } = await folder('/repo')
    const { body } = await call('PATCH', `/workspaces/${id}`, {
      egress: ['registry.npmjs.org'],
      name: 'mine',
    })
    expect(body.data).toMatchObject({ egress: ['registry.npmjs.org'], name: 'mine' })
    const { rows } = await pool.db.$client.query(
      `select type, payload from events where type like 'workspace.%'`,
    )
    expect(rows.map(({ payload }) => payload.workspace.name)).toEqual(['called so by its machine', 'mine'])
    const { rows: noted } = await pool.db.$client.query(`select subject, actor from audit order by id`)
    expect(noted).toEqual([
      { subject: 'create', actor: 'owner' },
      { subject: 'edit', actor: 'owner' },
    ])
  })

  test('tells everybody that a worktree changed, and neither the title of its session nor why it failed', async () => {
    const { folder, pool, sessionOf, machineId, call } = await open()
    const { id: parentId } = await folder('/repo')
    const { id: sessionId } = await sessionOf(ada.id, parentId)
    const id = newId()
    const secret = { name: 'Her plan', branch: 'signalbox/her-plan', root: '/kept/her-plan' }
    await pool.db
      .insert(workspaces)
      .values({ id, machineId, driver: 'folder', ...secret, parentId, sessionId, state: 'new' })
    const change = (changes: WorkspaceChanges) =>
      pool.transaction((tx) => changeWorkspace(tx, ada.id, id, changes))
    await change({ state: 'failed', error: 'her plan could not be made ready' })
    expect((await call('GET', `/workspaces/${id}`)).body.data).toMatchObject({ ...secret, state: 'failed' })
    await pool.transaction((tx) => trashWorkspace(tx, owner, id))
    await pool.transaction((tx) => forgetWorkspace(tx, 'owner', id))
    const { rows } = await pool.db.$client.query(
      `select type, payload from events where type like 'workspace.%' order by seq`,
    )
    const told = rows.slice(1) // the first is the folder
    const name = `worktree ${id.slice(-8)}`
    const shown = { id, name, machineId, driver: 'folder', parentId, sessionId }
    expect(told).toEqual([
      { type: 'workspace.changed', payload: { workspace: { ...shown, state: 'failed' }, by: ada.id } },
      { type: 'workspace.changed', payload: { workspace: { ...shown, state: 'trashed' }, by: 'owner' } },
      { type: 'workspace.forgotten', payload: { workspaceId: id, name, by: 'owner' } },
    ])
  })

  test('is refused in the trash, and for what its driver does not have', async () => {
    const { call, folder, pool } = await open()
    const { id } = await folder('/repo')
    expect(codeOf(await call('PATCH', `/workspaces/${id}`, { image: 'node:24' }))).toEqual([
      422,
      'does_not_fit',
    ])
    await pool.transaction((tx) => trashWorkspace(tx, owner, id))
    expect(codeOf(await call('PATCH', `/workspaces/${id}`, { name: 'x' }))).toEqual([
      409,
      'workspace_trashed',
    ])
    expect(codeOf(await call('PATCH', `/workspaces/${newId()}`, { name: 'x' }))).toEqual([
      404,
      'workspace_not_found',
    ])
    expect((await call('GET', '/workspaces')).body.meta.total).toBe(0)
    expect((await call('GET', '/workspaces?trashed=true')).body.meta.total).toBe(1)
  })
})

describe('what is in use', () => {
  test('cannot be trashed: while something is queued or runs, and while a person has a session', async () => {
    const { folder, pool, sessionOf, machineId } = await open()
    const { id } = await folder('/repo')
    const session = await sessionOf(ada.id, id)
    const trash = () => pool.transaction((tx) => trashWorkspace(tx, owner, id))
    await pool.db.insert(executions).values({
      id: newId(),
      sessionId: session.id,
      agentName: 'git',
      capabilityKey: 'log',
      machineId,
      workspaceId: id,
      queue: 'tool',
      priority: 0,
      status: 'queued',
      args: {},
      createdBy: ada.id,
    })
    await expect(trash()).rejects.toMatchObject({ code: 'workspace_in_use' })
    await pool.db.update(executions).set({ status: 'succeeded', endedAt: new Date() })
    await pool.db.update(sessions).set({ takenOverAt: new Date() })
    await expect(trash()).rejects.toMatchObject({ code: 'workspace_in_use' })
    await pool.db.update(sessions).set({ takenOverAt: null })
    await pool.transaction((tx) => changeWorkspace(tx, 'owner', id, { state: 'preparing' }))
    await expect(trash()).rejects.toMatchObject({ code: 'workspace_in_use' })
    await pool.transaction((tx) => changeWorkspace(tx, 'owner', id, { state: 'ready' }))
    expect(await trash()).toMatchObject({ state: 'ready' })
  })

  test('nothing begins in the trash: neither a session nor an execution', async () => {
    const { folder, pool, call, worker, agent, capability } = await open()
    const { id } = await folder('/repo')
    worker.answer = (asked) => ({ data: asked })
    const { id: agentId } = await agent()
    const { id: capabilityId } = await capability(agentId)
    await pool.transaction((tx) => trashWorkspace(tx, owner, id))
    for (const [path, body] of [
      ['/executions', { capabilityId, workspaceId: id }],
      ['/sessions', { agentId, workspaceId: id }],
    ] as const)
      expect(codeOf(await call('POST', path, body))).toEqual([409, 'workspace_trashed'])
  })
})

describe('machines', () => {
  test('tell which drivers they have; one that is away says so for each', async () => {
    const { call, worker, machineId, addMachine } = await open()
    const drivers = [{ driver: 'folder', works: true, reason: null, lacks: [], version: null }]
    worker.answer = () => ({ data: drivers })
    const away = newId()
    await addMachine(away, 'far', 'http://127.0.0.1:1')
    const { body } = await call('GET', '/workspaces/drivers?fresh=1')
    expect(worker.asked).toMatchObject([{ path: '/drivers', fresh: true }])
    const found = new Map(
      body.data.map((one: { machineId: string; drivers: unknown }) => [one.machineId, one.drivers]),
    )
    expect(found.get(machineId)).toEqual(drivers)
    expect(found.get(away)).toMatchObject([
      { driver: 'folder', works: false, reason: expect.stringContaining('far') },
      { driver: 'sandbox', works: false },
      { driver: 'docker', works: false },
    ])
  })

  test('tell what workspaces take there; what is in the trash and what nobody measured is told apart', async () => {
    const { call, as, pool, worker, machineId, folder } = await open()
    const { id } = await folder('/repo')
    const row = { machineId, driver: 'sandbox' as const, name: 'x', root: '/kept' }
    await pool.db.insert(workspaces).values([
      { ...row, id: newId(), diskBytes: 10 },
      { ...row, id: newId(), diskBytes: 5 },
      { ...row, id: newId(), diskBytes: 7, state: 'trashed' as const },
      { ...row, id: newId(), diskBytes: 100, state: 'trashed' as const, forgottenAt: new Date() },
      { ...row, id: newId() },
    ])
    await pool.db.update(workspaces).set({ diskBytes: 1_000 }).where(eq(workspaces.id, id)) // of the user's own
    worker.answer = () => ({ data: { archives: 3, freeBytes: 50 } })
    const sums = { machineId, workspaces: 15, trash: 7, unmeasured: 1 }
    const told = await call('GET', '/workspaces/disk')
    expect(told.body.data).toEqual([{ ...sums, archives: 3, freeBytes: 50, reason: null }])
    expect((await as(ada, 'GET', '/workspaces/disk')).status).toBe(403)
    await worker.stop()
    const [away] = (await call('GET', '/workspaces/disk')).body.data
    expect(away).toMatchObject({ ...sums, archives: null, freeBytes: null, reason: expect.any(String) })
  })

  test('are asked for an archive by its name, and its bytes pass through', async () => {
    const { call, worker } = await open()
    worker.answer = () => '"bytes"'
    expect((await call('GET', '/workspaces/archives/project.tar.zst')).body).toBe('bytes')
    expect(worker.asked).toMatchObject([{ path: '/archive', name: 'project.tar.zst' }])
    worker.status = 400
    worker.answer = () => ({ error: { code: 'archive_not_found', message: 'No archive b' } })
    expect(codeOf(await call('GET', '/workspaces/archives/b'))).toEqual([404, 'archive_not_found'])
  })

  test('say together what can be pruned', async () => {
    const { call, worker } = await open()
    const items = [{ kind: 'worktree', name: 'a', bytes: 5, reason: 'left' }]
    worker.answer = () => ({ data: { isDryRun: true, items, bytes: 5 } })
    expect((await call('POST', '/workspaces/prune', {})).body.data).toEqual({
      isDryRun: true,
      items,
      bytes: 5,
    })
    expect(worker.asked).toMatchObject([{ path: '/prune', dryRun: true }])
  })
})
