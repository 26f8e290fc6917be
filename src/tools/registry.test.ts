import { afterEach, describe, expect, test } from 'vitest'
import {
  agent,
  failureOf,
  namesFor,
  native,
  noHands,
  offered,
  openOnce,
  owner,
  said,
  scriptedSource,
  settings,
  user,
} from './fixtures/registry.ts'
import { openNativeSource } from './native-source.ts'
import { CallFailed } from './port.ts'
import type { Caller, SourceSettings, ToolSource } from './port.ts'

const { registryWith, withSource, closeAll } = openOnce()
afterEach(closeAll)

describe('names', () => {
  test('ours come first, then those of others by name, and each is found by both of its names', () => {
    const { registry } = registryWith()
    registry.put(scriptedSource('zebra', [offered('b'), offered('a')]).source, settings())
    registry.put(scriptedSource('apple', [offered('a')]).source, settings())
    const board = openNativeSource({ name: 'board', description: '', tools: [native('create_task')] })
    registry.put(board, settings({ isNative: true }))
    expect(namesFor(registry, owner)).toEqual(['board.create_task', 'apple.a', 'zebra.b', 'zebra.a'])
    for (const name of ['create_task', 'board.create_task', 'apple__a', 'zebra.b'])
      expect(registry.find(owner, name)).toBeDefined()
    for (const name of ['board__create_task', 'a', 'apple.', '', '__proto__', 'constructor.a', 'apple.b'])
      expect(registry.find(owner, name)).toBeUndefined()
  })

  test('are also what the source itself calls its tools', async () => {
    const { registry } = registryWith()
    registry.put(scriptedSource('github', [offered('Get an issue!')]).source, settings())
    const tool = { name: 'github.Get_an_issue_', wireName: 'github__Get_an_issue_' }
    expect(registry.find(owner, 'github.Get an issue!')).toMatchObject(tool)
    await registry.call(owner, 'github.Get an issue!', {}, noHands())
  })

  test('of ours are not given to others', () => {
    const { registry } = registryWith()
    const posing = scriptedSource('board', [offered('create_task')]).source
    expect(() => registry.put(posing, settings())).toThrow('cannot be the name')
  })

  test('that are the same are told', () => {
    const { registry } = registryWith()
    registry.put(scriptedSource('github', [offered('a.b'), offered('a_b')]).source, settings())
    expect(registry.collisions()).toHaveLength(1)
    expect(registry.list(owner)).toHaveLength(2)
  })

  test('that cannot be called do not count', () => {
    const { registry } = registryWith()
    const { source } = scriptedSource('github', [offered('a'), offered('a'), offered('b'), offered('c')])
    registry.put(source, settings({ tools: ['a', 'b'] }))
    expect(registry.healthOf('github')).toMatchObject({ name: 'github', tools: 2 })
    expect(registry.health()).toMatchObject([{ tools: 2 }])
    expect(registry.healthOf('nobody')).toBeUndefined()
  })
})

describe('a source that has not told its tools yet', () => {
  const beginning = (ready: () => Promise<void> | undefined, more: Partial<SourceSettings> = {}) => {
    const opened = registryWith()
    const scripted = scriptedSource('github', [])
    opened.registry.put({ ...scripted.source, ready }, settings(more))
    return { ...opened, ...scripted, call: () => opened.registry.call(user, 'github.get', {}, noHands()) }
  }

  test('is waited for by whoever calls one of them', async () => {
    const told = Promise.withResolvers<void>()
    const { call, offer } = beginning(() => told.promise)
    const calling = call()
    await new Promise(setImmediate)
    offer([offered('get')])
    told.resolve()
    expect(await calling).toEqual(said('done'))
  })

  test('says why it cannot, and that stands in the audit', async () => {
    const why = new CallFailed('source_unauthorized', 'Nobody has let us in')
    const { call, notes } = beginning(() => Promise.reject(why))
    expect(await failureOf(call())).toBe(why)
    expect(notes).toMatchObject([{ outcome: 'failed', code: 'source_unauthorized' }])
  })

  test('is waited for no longer than a call may take, and for nobody who may not use it', async () => {
    const never = () => new Promise<void>(() => {})
    expect(await failureOf(beginning(never, { timeout: 50 }).call())).toMatchObject({
      reason: 'tool_timed_out',
    })
    const notGranted = beginning(never, { grants: ['agents'] })
    expect(await failureOf(notGranted.call())).toMatchObject({ reason: 'tool_not_found' })
  })

  test('and has none of that name is not waited for again', async () => {
    expect(await failureOf(beginning(() => undefined).call())).toMatchObject({ reason: 'tool_not_found' })
  })
})

describe('a source that is put in the place of another', () => {
  test.each([
    ['itself by other rules', (same: ToolSource) => same],
    ['one that is set up anew', () => scriptedSource('github', [offered('get')]).source],
  ])('goes on where the counts of calls stood: %s', async (_, next) => {
    const { registry, source, call } = withSource({ rateLimit: 2 })
    await call()
    await call()
    registry.put(next(source), settings({ rateLimit: 3 }))
    await call()
    expect(await failureOf(call())).toMatchObject({ reason: 'too_many_calls', context: { limit: 3 } })
  })

  test('has no more calls at the same time than it may have', async () => {
    const end = Promise.withResolvers<void>()
    const does = async () => {
      await end.promise
      return said('done')
    }
    const { registry, source, call, told } = withSource({ maxConcurrent: 1, does })
    const calls = [call()]
    await expect.poll(() => told.calls.length).toBe(1)
    registry.put(source, settings({ maxConcurrent: 2 }))
    calls.push(call(), call())
    await expect.poll(() => told.calls.length).toBe(2)
    await new Promise(setImmediate)
    expect(told.calls).toHaveLength(2)
    end.resolve()
    await Promise.all(calls)
  })
})

describe('the audit', () => {
  test('is written before anybody is answered, and has sizes, never contents', async () => {
    const written = Promise.withResolvers<void>()
    const noting = Promise.withResolvers<unknown>()
    const { call } = withSource({
      hands: {
        note: (entry) => {
          noting.resolve(entry)
          return written.promise
        },
      },
    })
    let isAnswered = false
    const calling = call(owner, { password: 'hunter2' }).then(() => (isAnswered = true))
    const entry = await noting.promise
    expect(isAnswered).toBe(false)
    expect(entry).toMatchObject({ caller: owner, tool: 'github.get', source: 'github', outcome: 'ok' })
    expect(JSON.stringify(entry)).not.toContain('hunter2')
    written.resolve()
    await calling
  })

  test('has also what was refused, with the name that was asked for, made harmless', async () => {
    const { registry, notes } = registryWith()
    await failureOf(registry.call(agent, `\u001b[2J${'x'.repeat(10_000)}`, {}, noHands()))
    expect(notes).toMatchObject([{ source: '', outcome: 'refused', code: 'tool_not_found' }])
    expect(notes[0]?.tool).toMatch(/^\\u001b\[2Jx+…$/)
  })

  test('that cannot be written leaves nobody answered', async () => {
    const note = async () => {
      throw new Error('no database')
    }
    const { call } = withSource({ hands: { note } })
    expect(await failureOf(call())).toMatchObject({ message: 'no database' })
  })

  test('has its figures', async () => {
    const { registry, call } = withSource()
    await call()
    await failureOf(registry.call(owner, 'no.such', {}, noHands()))
    const text = await registry.metrics()
    expect(text).toContain('signalbox_registry_calls_total{source="github",outcome="ok",code=""} 1')
    expect(text).toContain('source="unknown",outcome="refused",code="tool_not_found"} 1')
    expect(text).toContain('signalbox_registry_call_duration_seconds_count{source="github"} 1')
  })
})

describe('a source', () => {
  test('that is taken away is closed, and what it was doing is ended', async () => {
    const begun = Promise.withResolvers<void>()
    const { registry, call, told } = withSource({
      tool: offered('get', { annotations: { readOnlyHint: true } }),
      does: () => {
        begun.resolve()
        return new Promise(() => {})
      },
    })
    const calling = failureOf(call())
    await begun.promise
    await registry.remove('github')
    expect(await calling).toMatchObject({ reason: 'source_unavailable' })
    expect([told.closed, told.calls.length]).toEqual([1, 1])
    expect(await failureOf(call())).toMatchObject({ reason: 'tool_not_found' })
    expect(registry.list(owner)).toEqual([])
  })

  test('that comes in the place of another closes it; the same one by other rules goes on', async () => {
    const gate = Promise.withResolvers<void>()
    const { registry, call, source, told } = withSource({
      does: async () => {
        await gate.promise
        return said('done')
      },
    })
    const calling = call()
    await expect.poll(() => told.calls.length).toBe(1)
    registry.put(source, settings({ grants: [] }))
    expect(registry.list(user)).toEqual([])
    gate.resolve()
    await calling
    expect(told.closed).toBe(0)
    registry.put(scriptedSource('github', []).source, settings())
    await expect.poll(() => told.closed).toBe(1)
  })

  test('that is ill says so at its tools and in its health, and is called all the same', async () => {
    const { registry, fallOver, call } = withSource()
    fallOver()
    expect(registry.find(owner, 'github.get')?.unavailable).toBe('github cannot be reached: it fell over')
    expect(registry.health()).toMatchObject([{ name: 'github', status: 'unhealthy' }])
    await call()
  })

  test('that says over and over that it has changed is heard once in a while; notifications all pass', async () => {
    const { registry, say } = withSource()
    const heard: string[] = []
    registry.onChange((source, change) => void heard.push(`${source} ${change.kind}`))
    for (let time = 0; time < 1_000; time += 1) {
      say({ kind: 'tools' })
      say({ kind: 'health' })
    }
    for (let time = 0; time < 3; time += 1) say({ kind: 'notification', method: 'notifications/x' })
    await expect.poll(() => heard.filter((one) => one === 'github tools').length).toBe(1)
    expect(heard.filter((one) => one === 'github notification')).toHaveLength(3)
  })

  test('leaves nothing when all is closed', async () => {
    const { registry, told } = withSource()
    await registry.close()
    expect(told.closed).toBe(1)
  })
})

describe('a flood', () => {
  test('of tools is stopped, and told', () => {
    const { registry } = registryWith()
    const tools = Array.from({ length: 10_001 }, (_, at) => offered(`t${at}`))
    registry.put(scriptedSource('github', tools).source, settings())
    expect(registry.list(owner)).toHaveLength(10_000)
    expect(registry.collisions()).toMatchObject([{ told: expect.stringContaining('10001 tools') as string }])
  })

  test('of names is told so far', () => {
    const { registry } = registryWith()
    const tools = Array.from({ length: 500 }, () => offered('same'))
    registry.put(scriptedSource('github', tools).source, settings())
    expect(registry.collisions()).toHaveLength(100)
  })

  test('of sources makes no more figures than people can look at', async () => {
    const { registry } = registryWith()
    for (let at = 0; at < 300; at += 1) {
      registry.put(scriptedSource(`s${at}`, [offered('get')]).source, settings())
      await registry.call(owner, `s${at}.get`, {}, noHands())
    }
    const text = await registry.metrics()
    expect(text.match(/^signalbox_registry_calls_total\{/gm)).toHaveLength(201)
    expect(text).toContain('source="other",outcome="ok",code=""} 100')
  })
})

describe('a request that is not a call', () => {
  function withResources(more: Partial<SourceSettings> = {}, answer: unknown = { contents: [] }) {
    const { registry, notes } = registryWith()
    const asked: string[] = []
    const { source } = scriptedSource('github', [offered('get')])
    const request = async (_: Caller, method: string) => {
      asked.push(method)
      return answer
    }
    registry.put({ ...source, request }, settings(more))
    const ask = (caller: Caller, method: string) => registry.request(caller, 'github', method, {}, noHands())
    return { ask, asked, notes }
  }

  test('is passed on, and what hands something over is written down', async () => {
    const { ask, notes } = withResources()
    expect(await ask(user, 'resources/read')).toEqual({ contents: [] })
    await ask(user, 'resources/list')
    expect(notes).toMatchObject([{ tool: 'github resources/read', outcome: 'ok' }])
  })

  test('is never a call of a tool, and is held to the same grants', async () => {
    const { ask, asked } = withResources({ grants: ['agents'] })
    expect(await failureOf(ask(agent, 'tools/call'))).toMatchObject({ reason: 'tool_refused' })
    expect(await failureOf(ask(user, 'resources/read'))).toMatchObject({ reason: 'source_not_found' })
    const limited = { ...agent, allowedTools: ['github.get'] }
    expect(await failureOf(ask(limited, 'resources/read'))).toMatchObject({ reason: 'tool_not_granted' })
    expect(asked).toEqual([])
    await ask({ ...agent, allowedTools: ['github.*'] }, 'resources/read')
  })

  test('whose answer is too large is refused', async () => {
    const { ask } = withResources({}, { contents: [{ text: 'x'.repeat(3 * 1024 * 1024) }] })
    expect(await failureOf(ask(agent, 'resources/read'))).toMatchObject({ reason: 'answer_too_large' })
    await ask(owner, 'resources/read')
  })
})
