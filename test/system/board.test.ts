import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readBoard } from '../support/board-reader.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

let box: Signalbox
beforeAll(async () => {
  box = await startSignalbox()
})
afterAll(async () => {
  await box.stop()
})

const create = async (title: string, more: object = {}) => {
  const { status, body } = await box.call('POST', '/tasks', { title, ...more })
  expect([status, body.error]).toEqual([201, undefined])
  return body.data
}
const titles = async (status: string, q: string) => {
  const { body } = await box.call('GET', `/tasks?status=${status}&q=${encodeURIComponent(q)}&pageSize=500`)
  return body.data.map((task: { title: string }) => task.title)
}
const unknownId = '01890000-0000-7000-8000-000000000000'

describe('a task', () => {
  test('starts in todo, with what it was given', async () => {
    const task = await create('  Write the manual ', {
      description: 'All of it\n\nwith examples',
      priority: 'high',
    })
    expect(task).toMatchObject({
      title: 'Write the manual',
      description: 'All of it\n\nwith examples',
      status: 'todo',
      priority: 'high',
      parentTaskId: null,
      assigneeAgentId: null,
      workspaceId: null,
      depth: 0,
      dependsOnTaskIds: [],
      createdBy: 'owner',
    })
    expect(task.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
    expect((await box.call('GET', `/tasks/${task.id}`)).body.data).toEqual(task)
  })

  test('moves along the allowed lines, and a forbidden move says which those are', async () => {
    const { id } = await create('mover')
    const refused = await box.call('PATCH', `/tasks/${id}`, { status: 'done' })
    expect(refused.status).toBe(409)
    expect(refused.body.error).toMatchObject({
      code: 'task_move_forbidden',
      context: { from: 'todo', to: 'done', allowed: ['in_progress', 'cancelled', 'blocked'] },
    })
    for (const status of ['in_progress', 'done', 'todo', 'cancelled', 'todo'])
      expect((await box.call('PATCH', `/tasks/${id}`, { status })).body.data.status).toBe(status)
    const sideways = await box.call('POST', `/tasks/${id}/reorder`, { status: 'done' })
    expect([sideways.status, sideways.body.error.code]).toEqual([409, 'task_move_forbidden'])
  })

  test('keeps its history, oldest first', async () => {
    const { id } = await create('historic')
    await box.call('PATCH', `/tasks/${id}`, { title: 'historical', status: 'in_progress' })
    await box.call('POST', `/tasks/${id}/reorder`, { status: 'blocked' })
    const { body } = await box.call('GET', `/tasks/${id}/events`)
    expect(body.data.map((event: { type: string }) => event.type)).toEqual([
      'created',
      'edited',
      'moved',
      'moved',
    ])
    expect(body.data[1].payload).toMatchObject({ changed: ['title'], by: 'owner' })
    expect(body.data[3].payload).toMatchObject({ from: 'in_progress', to: 'blocked' })
    expect(body.meta).toEqual({ total: 4, page: 1, pageSize: 50 })
  })

  test('cannot wait for a task that does not exist', async () => {
    const { id } = await create('patient')
    const { status, body } = await box.call('POST', `/tasks/${id}/dependencies`, {
      dependsOnTaskId: unknownId,
    })
    expect([status, body.error.context.fields[0].field]).toEqual([422, 'dependsOnTaskId'])
  })

  test('cannot be given to an agent or below a task that does not exist', async () => {
    for (const field of ['assigneeAgentId', 'parentTaskId']) {
      const { status, body } = await box.call('POST', '/tasks', { title: 'x', [field]: unknownId })
      expect([status, body.error.context.fields[0].field]).toEqual([422, field])
    }
  })

  test('that is unknown is 404 whatever is asked of it', async () => {
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { title: 'x' }],
      ['DELETE', ''],
      ['GET', '/events'],
      ['POST', '/reorder', {}],
    ] as const) {
      const answer = await box.call(method, `/tasks/${unknownId}${path}`, body)
      expect([method, path, answer.status, answer.body.error.code]).toEqual([
        method,
        path,
        404,
        'task_not_found',
      ])
    }
  })
})

describe('order', () => {
  test('a card goes before, after, to the end, and into another column', async () => {
    const [a, b, c] = [await create('order a'), await create('order b'), await create('order c')]
    await box.call('POST', `/tasks/${c.id}/reorder`, { beforeId: a.id })
    expect(await titles('todo', 'order ')).toEqual(['order c', 'order a', 'order b'])
    await box.call('POST', `/tasks/${c.id}/reorder`, { afterId: a.id })
    expect(await titles('todo', 'order ')).toEqual(['order a', 'order c', 'order b'])
    await box.call('POST', `/tasks/${a.id}/reorder`, {})
    expect(await titles('todo', 'order ')).toEqual(['order c', 'order b', 'order a'])
    await box.call('POST', `/tasks/${c.id}/reorder`, { status: 'in_progress' })
    await box.call('POST', `/tasks/${b.id}/reorder`, { status: 'in_progress', beforeId: c.id })
    expect(await titles('in_progress', 'order ')).toEqual(['order b', 'order c'])
  })

  test('a neighbour in another column is told, and nothing moves', async () => {
    const [a, b] = [await create('near a'), await create('near b', { status: 'blocked' })]
    const { status, body } = await box.call('POST', `/tasks/${a.id}/reorder`, { beforeId: b.id })
    expect([status, body.error.code]).toEqual([409, 'task_neighbour_elsewhere'])
    expect((await box.call('GET', `/tasks/${a.id}`)).body.data).toEqual(a)
  })

  test('a card cannot stand beside itself', async () => {
    const { id } = await create('lonely')
    for (const field of ['beforeId', 'afterId']) {
      const { status, body } = await box.call('POST', `/tasks/${id}/reorder`, {
        status: 'in_progress',
        [field]: id,
      })
      expect([status, body.error.context.fields[0].field]).toEqual([422, field])
    }
  })

  test('five hundred drops into the same gap keep the order, with short positions', async () => {
    const top = await create('gap top')
    const others = [await create('gap 1'), await create('gap 2')]
    for (let n = 0; n < 500; n++) {
      const moved = others[n % 2]
      const { status } = await box.call('POST', `/tasks/${moved.id}/reorder`, { afterId: top.id })
      expect(status).toBe(200)
    }
    expect(await titles('todo', 'gap ')).toEqual(['gap top', 'gap 2', 'gap 1'])
    const { body } = await box.call('GET', `/tasks?q=${encodeURIComponent('gap ')}`)
    for (const { position } of body.data) expect(position.length).toBeLessThanOrEqual(60)
  })

  test('fifty at once into the same place are all there, each at a place of its own', async () => {
    const anchor = await create('crowd anchor')
    const crowd = await Promise.all(Array.from({ length: 50 }, (_, n) => create(`crowd ${n}`)))
    await Promise.all(
      crowd.map(({ id }) => box.call('POST', `/tasks/${id}/reorder`, { beforeId: anchor.id })),
    )
    const { body } = await box.call('GET', '/tasks?q=crowd&pageSize=500')
    expect(new Set(body.data.map((task: { position: string }) => task.position)).size).toBe(51)
    expect(body.data.at(-1).title).toBe('crowd anchor')
  })
})

describe('subtasks', () => {
  test('know their depth, three levels and no more', async () => {
    let parentTaskId: string | null = null
    for (let depth = 0; depth <= 3; depth++) {
      const task: { id: string; depth: number } = await create(`level ${depth}`, { parentTaskId })
      expect(task.depth).toBe(depth)
      parentTaskId = task.id
    }
    const { status, body } = await box.call('POST', '/tasks', { title: 'level 4', parentTaskId })
    expect([status, body.error.code]).toEqual([409, 'task_too_deep'])
  })

  test('move with their parent, and never below themselves', async () => {
    const [a, b] = [await create('tree a'), await create('tree b')]
    const child = await create('tree child', { parentTaskId: b.id })
    expect((await box.call('PATCH', `/tasks/${b.id}`, { parentTaskId: a.id })).body.data.depth).toBe(1)
    expect((await box.call('GET', `/tasks/${child.id}`)).body.data.depth).toBe(2)
    const cycle = await box.call('PATCH', `/tasks/${a.id}`, { parentTaskId: child.id })
    expect([cycle.status, cycle.body.error.code]).toEqual([409, 'task_parent_cycle'])
    expect((await box.call('PATCH', `/tasks/${b.id}`, { parentTaskId: null })).body.data.depth).toBe(0)
    expect((await box.call('GET', `/tasks?parentTaskId=${b.id}`)).body.data[0]).toMatchObject({
      title: 'tree child',
      depth: 1,
    })
  })

  test('are not deleted by surprise', async () => {
    const parent = await create('doomed')
    const child = await create('doomed child', { parentTaskId: parent.id })
    const refused = await box.call('DELETE', `/tasks/${parent.id}`)
    expect([refused.status, refused.body.error.code]).toEqual([409, 'task_has_subtasks'])
    expect((await box.call('DELETE', `/tasks/${parent.id}?subtasks=delete`)).status).toBe(204)
    expect((await box.call('GET', `/tasks/${child.id}`)).status).toBe(404)
  })
})

describe('dependencies', () => {
  test('are added, shown and removed', async () => {
    const [a, b] = [await create('dep a'), await create('dep b')]
    const added = await box.call('POST', `/tasks/${a.id}/dependencies`, { dependsOnTaskId: b.id })
    expect([added.status, added.body.data.dependsOnTaskIds]).toEqual([201, [b.id]])
    const again = await box.call('POST', `/tasks/${a.id}/dependencies`, { dependsOnTaskId: b.id })
    expect([again.status, again.body.error.code]).toEqual([409, 'dependency_exists'])
    const removed = await box.call('DELETE', `/tasks/${a.id}/dependencies`, { dependsOnTaskId: b.id })
    expect([removed.status, removed.body.data.dependsOnTaskIds]).toEqual([200, []])
    const gone = await box.call('DELETE', `/tasks/${a.id}/dependencies`, { dependsOnTaskId: b.id })
    expect([gone.status, gone.body.error.code]).toEqual([404, 'dependency_not_found'])
  })

  test('never form a circle, not even when two people close it at once', async () => {
    const [a, b, c] = [await create('ring a'), await create('ring b'), await create('ring c')]
    const wait = (from: { id: string }, on: { id: string }) =>
      box.call('POST', `/tasks/${from.id}/dependencies`, { dependsOnTaskId: on.id })
    await wait(a, b)
    await wait(b, c)
    const { status, body } = await wait(c, a)
    expect([status, body.error.code, body.error.context.cycle]).toEqual([
      409,
      'dependency_cycle',
      [c.id, a.id, b.id, c.id],
    ])
    expect((await wait(a, a)).status).toBe(409)

    const [x, y] = [await create('ring x'), await create('ring y')]
    const outcomes = await Promise.all([wait(x, y), wait(y, x)])
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual([201, 409])
  })
})

test('a task that is deleted is no longer waited for, and the history of those who waited says so', async () => {
  const [waits, first] = [await create('waits'), await create('first')]
  await box.call('POST', `/tasks/${waits.id}/dependencies`, { dependsOnTaskId: first.id })
  await box.call('DELETE', `/tasks/${first.id}`)
  const freed = (await box.call('GET', `/tasks/${waits.id}`)).body.data
  expect(freed.dependsOnTaskIds).toEqual([])
  const { body } = await box.call('GET', `/tasks/${waits.id}/events`)
  expect(body.data.at(-1)).toMatchObject({
    type: 'dependency_removed',
    payload: { dependsOnTaskId: first.id },
  })
  expect(body.data.at(-1).payload.task.updatedAt).toBe(freed.updatedAt)
})

test('a tree of hundreds moves and goes as one', async () => {
  const [root, elsewhere] = [await create('tree root'), await create('tree elsewhere')]
  await Promise.all(
    Array.from({ length: 300 }, (_, n) => create(`tree leaf ${n}`, { parentTaskId: root.id })),
  )
  const reader = await readBoard(box.url, box.token)
  await box.call('PATCH', `/tasks/${root.id}`, { parentTaskId: elsewhere.id })
  const { body } = await box.call('GET', `/tasks?parentTaskId=${root.id}&pageSize=500`)
  expect(new Set(body.data.map((task: { depth: number }) => task.depth))).toEqual(new Set([2]))
  expect((await box.call('DELETE', `/tasks/${elsewhere.id}?subtasks=delete`)).status).toBe(204)
  await reader.until(
    (event) => event.type === 'task.deleted' && (event.payload as { taskId: string }).taskId === elsewhere.id,
  )
  await reader.stop()
  expect(reader.events.filter((event) => event.type === 'task.edited')).toHaveLength(301)
  expect(reader.events.filter((event) => event.type === 'task.deleted')).toHaveLength(302)
})

describe('the list', () => {
  test('filters, searches literally, and pages', async () => {
    for (let n = 0; n < 7; n++) await create(`page 100%_done ${n}`)
    await create('page 100xxdone')
    const { body } = await box.call('GET', `/tasks?q=${encodeURIComponent('100%_DONE')}&page=2&pageSize=5`)
    expect(body.meta).toEqual({ total: 7, page: 2, pageSize: 5 })
    expect(body.data.map((task: { title: string }) => task.title)).toEqual([
      'page 100%_done 5',
      'page 100%_done 6',
    ])
    expect((await box.call('GET', `/tasks?assigneeAgentId=${unknownId}`)).body.meta.total).toBe(0)
    const roots = await box.call('GET', '/tasks?parentTaskId=none&pageSize=500')
    expect(roots.body.data.every((task: { parentTaskId: null }) => task.parentTaskId === null)).toBe(true)
  })

  test('is the same under /api and /api/v1', async () => {
    const plain = await fetch(`${box.url}/api/tasks?pageSize=3`, {
      headers: { authorization: `Bearer ${box.token}` },
    })
    expect(await plain.json()).toEqual((await box.call('GET', '/tasks?pageSize=3')).body)
  })
})

describe('the board stream', () => {
  test('tells what happens, as it happens, and resumes where it was left', async () => {
    const reader = await readBoard(box.url, box.token)
    const task = await create('streamed', { description: 'long' })
    await box.call('PATCH', `/tasks/${task.id}`, { status: 'in_progress' })
    await box.call('DELETE', `/tasks/${task.id}`)
    await reader.until((event) => event.type === 'task.deleted')
    await reader.stop()
    expect(reader.events.map((event) => event.type)).toEqual(['task.created', 'task.moved', 'task.deleted'])
    const [created, moved] = reader.events
    expect(created?.payload).toMatchObject({ task, by: 'owner' })
    expect(moved?.payload).not.toHaveProperty('task.description')

    const after = String(created!.seq)
    const resumed = await fetch(`${box.url}/api/v1/sse/board`, {
      headers: { authorization: `Bearer ${box.token}`, 'last-event-id': after },
    })
    expect(resumed.headers.get('content-type')).toBe('text/event-stream')
    expect(resumed.headers.get('cache-control')).toBe('no-cache, no-transform')
    expect(resumed.headers.get('x-accel-buffering')).toBe('no')
    let text = ''
    for await (const chunk of resumed.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes('task.deleted')) break
    }
    expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual([
      created!.seq,
      created!.seq + 1,
      created!.seq + 2,
    ])
  })

  test('refuses a place it cannot resume from', async () => {
    for (const bad of ['-1', 'abc', '1e3', '99999999999999', '1.5']) {
      const { status, body } = await box.call('GET', '/sse/board', undefined, { 'last-event-id': bad })
      expect([bad, status, body.error.context.fields[0].field]).toEqual([bad, 422, 'last-event-id'])
    }
  })
})
