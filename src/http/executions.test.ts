import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { codeOf, fieldOf, openWithGit } from '../../test/support/git-registry.ts'
import { ada, bob } from '../../test/support/registry.ts'
import type { Answer } from '../../test/support/registry.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { agents, executions, sessions, workspaces } from '#db/schema.ts'
import { newId } from '#lib/id.ts'

describe('asking for an execution', () => {
  test('refuses a prompt that would go nowhere', async () => {
    const { start } = await openWithGit({ commandTokens: ['git', 'show', '{{ref}}'] })
    expect(fieldOf(await start({ prompt: 'src' }))).toEqual([422, 'prompt'])
    expect((await start()).status).toBe(201)
  })

  test('queues it, tells session and board, and hands it over', async () => {
    const { start, agent, asked, rowOf, told, handOver, machineId, pool } = await openWithGit()
    const { status, body } = await start()
    expect(status).toBe(201)
    const { id, sessionId } = body.data
    expect(body.data).toMatchObject({
      status: 'queued',
      agentId: agent.id,
      agentName: agent.name,
      capabilityId: asked.capabilityId,
      capabilityKey: 'show',
      machineId,
      taskId: null,
      createdBy: 'owner',
      startedAt: null,
      endedAt: null,
    })
    expect(await told(sessionId)).toEqual([
      { seq: 1, type: 'data-status', executionId: id, payload: { status: 'queued' } },
    ])
    const row = await rowOf(id)
    expect(row).toMatchObject({
      args: { ref: 'main', depth: 1 },
      prompt: 'src',
      firstSeq: 1,
      queue: 'tool',
      priority: 1,
      depth: 0,
    })
    // Everybody reads the board; what was asked is not for everybody.
    const { args, prompt, files: _files, ...shown } = body.data
    expect([args, prompt]).toEqual([row.args, row.prompt])
    expect((await told(BOARD_STREAM)).map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: 'execution.queued', payload: { execution: shown, by: 'owner' } },
    ])
    expect(await handOver.take(machineId, 'tool', 5)).toMatchObject([{ executionId: id }])
    const [session] = await pool.db.select().from(sessions)
    expect(session).toMatchObject({ id: sessionId, title: 'src', agentId: agent.id, createdBy: 'owner' })
    const [workspace] = await pool.db.select().from(workspaces)
    expect(workspace).toMatchObject({ machineId, driver: 'folder', root: '/repo', name: '/repo' })
    expect([session?.workspaceId, row.workspaceId]).toEqual([workspace?.id, workspace?.id])
  })

  test('leaves nothing behind when it is refused', async () => {
    const { start, pool, told } = await openWithGit()
    expect((await start({ sessionId: newId() })).status).toBe(422)
    for (const table of [executions, sessions, workspaces]) expect(await pool.db.$count(table)).toBe(0)
    expect(await told(BOARD_STREAM)).toEqual([])
  })

  test('uses one workspace for one folder, and none where the agent has none', async () => {
    const { start, agent, call, pool } = await openWithGit()
    const answers = await Promise.all([start(), start(), start()])
    expect(new Set(answers.map(({ body }) => body.data.workspaceId)).size).toBe(1)
    expect(await pool.db.$count(workspaces)).toBe(1)
    await call('PATCH', `/agents/${agent.id}`, { workingDir: null })
    expect((await start()).body.data.workspaceId).toBeNull()
  })

  test('needs the scope run', async () => {
    const { as, asked, start } = await openWithGit()
    const watcher = { ...ada, scopes: ['board' as const] }
    expect(codeOf(await as(watcher, 'POST', '/executions', asked))).toEqual([403, 'forbidden'])
    const { id } = (await start()).body.data
    for (const verb of ['cancel', 'interrupt', 'messages'])
      expect(codeOf(await as(watcher, 'POST', `/executions/${id}/${verb}`, { text: 'x' }))).toEqual([
        403,
        'forbidden',
      ])
    for (const path of ['/executions', `/executions/${id}`])
      expect(codeOf(await as({ ...ada, scopes: ['tools'] }, 'GET', path))).toEqual([403, 'forbidden'])
    expect((await as(watcher, 'GET', '/executions')).status).toBe(200)
  })

  test('of what is not there, not active or not possible yet is refused', async () => {
    const { start, pool } = await openWithGit()
    expect(fieldOf(await start({ capabilityId: newId() }))).toEqual([422, 'capabilityId'])
    await pool.db.update(agents).set({ adapter: 'chat' })
    expect(codeOf(await start())).toEqual([422, 'adapter_unavailable'])
    await pool.db.update(agents).set({ adapter: 'template', active: false })
    expect(codeOf(await start())).toEqual([409, 'agent_inactive'])
    await pool.db.update(agents).set({ machineId: null, active: true })
    expect(codeOf(await start())).toEqual([503, 'machine_unavailable'])
  })

  test.each([
    [{ args: {} }, 'args.ref'],
    [{ args: { ref: 5 } }, 'args.ref'],
    [{ args: { ref: ['a'] } }, 'args.ref'],
    [{ args: { ref: 'a', other: 1 } }, 'args.other'],
    [{ args: { ref: '--upload-pack=touch x' } }, 'args.ref'],
    [{ args: { ref: 'a\0b' } }, 'args.ref'],
    [{ args: { ref: 'x'.repeat(100_000) } }, 'args.ref'],
    [{ prompt: undefined }, 'prompt'],
    [{ prompt: 'a\0b' }, 'prompt'],
    [{ unknown: 1 }, 'unknown'],
  ])('with %o is refused', async (change, field) => {
    const { start } = await openWithGit()
    expect(fieldOf(await start(change))).toEqual([422, field])
  })

  test('beyond an explicit limit is refused, however many ask at once', async () => {
    const { start, call } = await openWithGit({}, { maxConcurrent: 2 })
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => start()))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 429, 429, 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.body.error).toMatchObject({ code: 'agent_at_limit', context: { retryAfterSec: 5 } })
    const { id } = answers.find(({ status }) => status === 201)!.body.data
    await call('POST', `/executions/${id}/cancel`)
    expect((await start()).status).toBe(201)
  })
})

describe('an execution for a task', () => {
  test('moves it from to do to in progress, and stands in its history', async () => {
    const { start, task, call, rowOf, pool, told } = await openWithGit()
    const { id: taskId } = await task({ priority: 'critical' })
    const { body } = await start({ taskId })
    expect((await call('GET', `/tasks/${taskId}`)).body.data.status).toBe('in_progress')
    const history = (await call('GET', `/tasks/${taskId}/events`)).body.data
    expect(history.map(({ type }: { type: string }) => type)).toEqual([
      'created',
      'execution_queued',
      'moved',
    ])
    expect((await rowOf(body.data.id)).priority).toBe(3)
    const [session] = await pool.db.select().from(sessions)
    expect(session).toMatchObject({ title: 'Fix it', taskId })
    await call('POST', `/executions/${body.data.id}/cancel`)
    const after = (await call('GET', `/tasks/${taskId}/events`)).body.data
    expect(after.at(-1).type).toBe('execution_completed')
    expect((await told(BOARD_STREAM)).at(-1)?.type).toBe('execution.completed')
  })

  test('leaves it where it is otherwise', async () => {
    const { start, task, call } = await openWithGit()
    const { id: taskId } = await task({ status: 'blocked' })
    expect((await start({ taskId })).status).toBe(201)
    expect((await call('GET', `/tasks/${taskId}`)).body.data.status).toBe('blocked')
  })

  test('needs one that is there, and one where the command wants it', async () => {
    const { start } = await openWithGit({ commandTokens: ['{{task_title}}'], argsSchema: { type: 'object' } })
    const bare = { args: {}, prompt: undefined }
    expect(fieldOf(await start({ ...bare, taskId: newId() }))).toEqual([422, 'taskId'])
    expect(fieldOf(await start(bare))).toEqual([422, 'taskId'])
  })

  test('cannot take an option from its title', async () => {
    const { start, task } = await openWithGit({
      commandTokens: ['{{task_title}}'],
      argsSchema: { type: 'object' },
    })
    const { id: taskId } = await task({ title: '--help' })
    expect(fieldOf(await start({ args: {}, taskId }))).toEqual([422, 'taskId'])
  })
})

describe('the next execution of a session', () => {
  test('goes on in its stream and its workspace', async () => {
    const { start, end, rowOf, told, call, agent } = await openWithGit()
    const first = (await start()).body.data
    await end(first.id)
    await call('PATCH', `/agents/${agent.id}`, { workingDir: '/elsewhere' })
    const next = (await start({ sessionId: first.sessionId })).body.data
    expect(next).toMatchObject({ sessionId: first.sessionId, workspaceId: first.workspaceId })
    expect((await rowOf(next.id)).firstSeq).toBe(2)
    expect(await told(first.sessionId)).toHaveLength(2)
  })

  test('waits for the one before, however many ask at once', async () => {
    const { start, end } = await openWithGit()
    const first = (await start()).body.data
    const again = { sessionId: first.sessionId }
    expect(codeOf(await start(again))).toEqual([409, 'session_busy'])
    await end(first.id)
    const answers = await Promise.all([start(again), start(again), start(again)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  })

  test('is only for whoever may see the session, with the same agent', async () => {
    const { start, as, end, asked, capability, agent: own, pool, call } = await openWithGit()
    const first = (await as(ada, 'POST', '/executions', asked)).body.data
    await end(first.id)
    const again = { ...asked, sessionId: first.sessionId }
    expect(fieldOf(await as(bob, 'POST', '/executions', again))).toEqual([422, 'sessionId'])
    const other = (await call('POST', '/agents', { name: 'other', binaryPath: '/usr/bin/git' })).body.data
    const { id: capabilityId } = await capability(other.id)
    const elsewhere = { capabilityId, sessionId: first.sessionId, args: {}, prompt: undefined }
    expect(fieldOf(await start(elsewhere))).toEqual([422, 'sessionId'])
    expect(await pool.db.$count(executions, eq(executions.agentId, own.id))).toBe(1)
    expect((await start({ sessionId: first.sessionId })).status).toBe(201)
  })
})

describe('the place of an execution', () => {
  test('is the workspace that is named, if it is on the agent’s machine', async () => {
    const { start, pool, machineId, addMachine } = await openWithGit()
    const away = newId()
    await addMachine(away, 'there', 'unix:/nowhere')
    const [near, far] = [newId(), newId()]
    await pool.db.insert(workspaces).values([
      { id: near, machineId, driver: 'folder', root: '/a', name: '/a' },
      { id: far, machineId: away, driver: 'folder', root: '/a', name: '/a' },
    ])
    expect((await start({ workspaceId: near })).body.data.workspaceId).toBe(near)
    expect(fieldOf(await start({ workspaceId: far }))).toEqual([422, 'workspaceId'])
    expect(fieldOf(await start({ workspaceId: newId() }))).toEqual([422, 'workspaceId'])
  })
})

describe('spawning', () => {
  test('goes three deep, and only from what the caller may see', async () => {
    const { start, as, asked } = await openWithGit()
    let parentExecutionId = (await start()).body.data.id
    const others = { ...asked, parentExecutionId }
    for (const depth of [1, 2, 3]) {
      const { status, body } = await start({ parentExecutionId })
      expect([depth, status, body.data.parentExecutionId]).toEqual([depth, 201, parentExecutionId])
      parentExecutionId = body.data.id
    }
    expect(codeOf(await start({ parentExecutionId }))).toEqual([409, 'spawn_too_deep'])
    expect(fieldOf(await as(ada, 'POST', '/executions', others))).toEqual([422, 'parentExecutionId'])
    expect(fieldOf(await start({ parentExecutionId: newId() }))).toEqual([422, 'parentExecutionId'])
  })
})

describe('executions', () => {
  test('are seen by who opened their session, and by the owner', async () => {
    const { as, call, asked } = await openWithGit()
    const hers = (await as(ada, 'POST', '/executions', asked)).body.data
    const ours = (await call('POST', '/executions', asked)).body.data
    const idsOf = ({ body }: Answer) => body.data.map(({ id }: { id: string }) => id)
    expect(idsOf(await as(ada, 'GET', '/executions'))).toEqual([hers.id])
    expect(idsOf(await as(bob, 'GET', '/executions'))).toEqual([])
    expect(idsOf(await call('GET', '/executions'))).toEqual([ours.id, hers.id])
    expect((await as(ada, 'GET', `/executions/${hers.id}`)).body.data).toEqual(hers)
    expect((await call('GET', `/executions/${hers.id}`)).status).toBe(200)
    for (const [method, verb] of [
      ['GET', ''],
      ['POST', '/cancel'],
      ['POST', '/interrupt'],
      ['POST', '/messages'],
    ] as const)
      expect(
        codeOf(
          await as(
            bob,
            method,
            `/executions/${hers.id}${verb}`,
            method === 'POST' ? { text: 'x' } : undefined,
          ),
        ),
      ).toEqual([404, 'execution_not_found'])
  })
})
