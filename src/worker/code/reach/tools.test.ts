import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ApiWriter } from '#codemode/api/api.ts'
import type { ToolResult } from '#contract/tool.ts'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import {
  agent,
  failureOf,
  offered,
  openOnce,
  owner,
  said,
  scriptedSource,
  settings,
  user,
} from '#tools/fixtures/registry.ts'
import type { Does } from '#tools/fixtures/registry.ts'
import { CallFailed } from '#tools/port.ts'
import type { Caller, OfferedTool, RegistryHands, SourceSettings } from '#tools/port.ts'
import { AwaitsPerson } from './awaits-person.ts'
import { grantsWith } from './fixtures/grants.ts'
import { openReach } from './open-reach.ts'
import type { CallMade } from './tools.ts'

const { registryWith, closeAll } = openOnce()
afterEach(closeAll)
const never = new AbortController().signal

interface Opened extends Partial<CodeGrants['mcp']> {
  caller?: Caller
  does?: Does
  tool?: OfferedTool
  hands?: Partial<RegistryHands>
  source?: Partial<SourceSettings>
}

/** A real registry with one tool, get_issue, and what code can do with it. */
function open({
  caller = owner,
  does,
  tool = offered('get_issue'),
  hands = {},
  source = {},
  ...mcp
}: Opened = {}) {
  const { registry, notes } = registryWith({ approve: async () => {}, ...hands })
  const scripted = scriptedSource('github', [tool, offered('delete_all')], does)
  registry.put(scripted.source, settings(source))
  const observed: [string, unknown][] = []
  const writer = new ApiWriter()
  const reach = openReach(
    {
      registry,
      observe: (name, value) => void observed.push([name, value]),
      config: () => {
        throw new Error('not needed')
      },
    },
    {
      runId: 'r1',
      caller,
      api: writer.api(registry.list(caller)),
      apiNow: () => writer.api(registry.list(caller)),
      grants: grantsWith({ mcp: { tools: ['github.get_issue'], ...mcp } }),
    },
  )
  const call = (name = 'github.getIssue', given: unknown[] = [], signal = never, made: CallMade = {}) =>
    reach.call(7, 'mcp', name, given, signal, made)
  const failure = (...given: Parameters<typeof call>) =>
    call(...given).then(
      () => 'nothing failed',
      (error: unknown) => error,
    )
  const toolOf = (name: string) => reach.toolOf(name, never)
  return { call, failure, toolOf, observed, notes, registry, ...scripted }
}

const answering = (result: ToolResult) => open({ does: () => result })
const text = (value: string) => ({ type: 'text', text: value })

describe('what a tool answers is', () => {
  test.each([
    ['its structured content', { content: [text('words')], structuredContent: { a: 1 } }, { a: 1 }],
    ['its text, where that is JSON', said('{"a":[1]}'), { a: [1] }],
    ['a number that is written as one', said('-1.5'), -1.5],
    ['text, where a number would lose something', said('12345678901234567890'), '12345678901234567890'],
    ['text, where it is nothing else', said('hello {'), 'hello {'],
    ['no text at all', said(''), ''],
    ['all of it, where it is more', { content: [text('a'), text('b')] }, [text('a'), text('b')]],
    [
      'all of it, where it is no text',
      { content: [{ type: 'image', data: 'eA==', mimeType: 'image/png' }] },
      [{ type: 'image', data: 'eA==', mimeType: 'image/png' }],
    ],
    ['nothing', { content: [] }, []],
  ] as const)('%s', async (_name, result, value) => {
    const { call, observed } = answering(structuredClone(result) as ToolResult)
    expect(await call()).toEqual(value)
    expect(observed).toEqual([['github.get_issue', value]])
  })

  test('an error that code can catch, when the tool says so', async () => {
    const { failure, observed } = answering({
      content: [text('no such'), text('issue')],
      structuredContent: { status: 404 },
      isError: true,
    })
    expect(await failure()).toMatchObject({
      name: 'CodeFailed',
      type: 'mcp',
      code: 'MCP_ERROR',
      message: 'no such\nissue',
      details: { tool: 'github.get_issue', reason: 'tool_failed', answer: { status: 404 } },
    })
    expect(observed).toEqual([])
  })
})

test('arguments are an object, or values in the order of the schema', async () => {
  const inputSchema = {
    type: 'object',
    properties: { repo: { type: 'string' }, id: { type: 'integer' } },
    required: ['repo'],
    additionalProperties: false,
  }
  const { call, failure, told } = open({ tool: offered('get_issue', { inputSchema }) })
  await call('github.getIssue', [{ repo: 'a', id: 1 }])
  await call('github.getIssue', ['a', 1])
  await call('github.get_issue', ['a'])
  expect(told.calls).toEqual([{ repo: 'a', id: 1 }, { repo: 'a', id: 1 }, { repo: 'a' }])
  expect(await failure('github.getIssue', [{ repo: 3 }])).toMatchObject({
    type: 'validation',
    code: 'TYPE_ERROR',
    details: { reason: 'bad_arguments', fields: [{ field: 'args.repo' }] },
  })
  expect(await failure('github.getIssue', ['a', 1, 2])).toMatchObject({ type: 'validation' })
  expect(told.calls).toHaveLength(3)
})

test('only what was granted is called, and it is told what to ask for', async () => {
  const { failure, told } = open()
  expect(await failure('github.deleteAll')).toMatchObject({
    type: 'security',
    code: 'CAPABILITY_VIOLATION',
    message: expect.stringContaining('["mcp:github.delete_all"]'),
    details: { tool: 'github.delete_all', capability: 'mcp:github.delete_all' },
  })
  expect(await failure('github.nothing')).toMatchObject({
    type: 'mcp',
    details: { reason: 'tool_not_found' },
  })
  expect(await open({ tools: [] }).failure()).toMatchObject({ code: 'CAPABILITY_VIOLATION' })
  expect(told.calls).toEqual([])
  for (const tools of [['*'], ['github.*'], ['github.delete_*']])
    expect(await open({ tools }).call('github.deleteAll')).toBe('done')
})

test('what the registry does not grant is not had by a capability', async () => {
  const caller = { ...agent, allowedTools: ['linear.*'] }
  const { failure, told } = open({ caller, tools: ['*'] })
  expect(await failure()).toMatchObject({ type: 'mcp', details: { reason: 'tool_not_found' } })
  expect(told.calls).toEqual([])
})

test('calls are made in the caller’s name, in their code, and are in the audit', async () => {
  const callers: Caller[] = []
  const ada: Caller = { ...user, scopes: ['tools', 'code'] }
  const { call, notes } = open({
    caller: ada,
    does: (_args, _hands, caller) => {
      callers.push(caller)
      return said('done')
    },
  })
  const consent = { by: 'owner', isOwner: true, inputHash: 'h' }
  await call()
  await call('github.getIssue', [], never, { consent })
  expect(callers).toEqual([
    { ...ada, inCode: { runId: 'r1', call: 7 } },
    { ...ada, inCode: { runId: 'r1', call: 7, consent } },
  ])
  expect(notes).toMatchObject([{ tool: 'github.get_issue', outcome: 'ok' }, { outcome: 'ok' }])
})

test('a call that somebody has to be asked about is neither made nor told to the code', async () => {
  const question = { tool: 'github.get_issue' }
  const { failure, told, observed } = open({
    caller: agent,
    hands: {
      approve: async () => {
        throw new CallFailed('awaits_person', 'not before', { isUnsent: true, context: { question } })
      },
    },
  })
  const awaits = await failure()
  expect(awaits).toBeInstanceOf(AwaitsPerson)
  expect(awaits).toMatchObject({ question })
  expect([told.calls, observed]).toEqual([[], []])
})

test('what fails is told with its reason, and how often it was tried', async () => {
  const { failure, told } = open({
    does: () => {
      throw new CallFailed('source_unavailable', 'github is away', { isUnsent: true, context: { hint: 'x' } })
    },
    source: { retryPolicy: { maxRetries: 2, initialDelay: 0, maxDelay: 0 } },
  })
  expect(await failure()).toMatchObject({
    type: 'mcp',
    code: 'MCP_ERROR',
    message: 'github is away',
    details: { tool: 'github.get_issue', reason: 'source_unavailable', tries: 3, hint: 'x' },
  })
  expect(told.calls).toHaveLength(3)
  const refusing = open({
    hands: {
      approve: async () => {
        throw new CallFailed('tool_refused', 'a rule says no')
      },
    },
    caller: agent,
  })
  expect(await refusing.failure()).toMatchObject({
    type: 'mcp',
    message: 'a rule says no',
    details: { reason: 'tool_refused', tries: 0 },
  })
})

test('a call that takes too long is given up, and its source hears of it', async () => {
  const ended: unknown[] = []
  const { failure } = open({
    timeoutMs: 50,
    does: (_args, { signal }) =>
      new Promise(() => signal.addEventListener('abort', () => ended.push(signal.reason))),
  })
  expect(await failure()).toMatchObject({
    type: 'mcp',
    code: 'MCP_ERROR',
    details: { reason: 'tool_timed_out', timeoutMs: 50 },
  })
  expect(ended).toHaveLength(1)
})

test('the end of the run ends what it has called', async () => {
  let [begun, ended] = [0, 0]
  const { failure } = open({
    does: (_args, { signal }) => {
      begun += 1
      return new Promise(() => signal.addEventListener('abort', () => (ended += 1)))
    },
  })
  const run = new AbortController()
  const all = Array.from({ length: 5 }, () => failure('github.getIssue', [], run.signal))
  await vi.waitFor(() => expect(begun).toBe(3), 20_000)
  run.abort(new Error('cancelled'))
  expect(await Promise.all(all)).toEqual(
    Array.from({ length: 5 }, () => expect.objectContaining({ message: 'cancelled' })),
  )
  expect([begun, ended]).toEqual([3, 3])
})

test('no more than granted are under way, nor in a second; the others wait', async () => {
  let [underway, most] = [0, 0]
  const { call } = open({
    perSecond: 10,
    atOnce: 2,
    does: async () => {
      underway += 1
      most = Math.max(most, underway)
      await wait(1)
      underway -= 1
      return said('done')
    },
  })
  const begun = performance.now()
  await Promise.all(Array.from({ length: 14 }, () => call()))
  expect(performance.now() - begun).toBeGreaterThan(390)
  expect(most).toBe(2)
})

test('what is to be done before a call is sent is done when it is its turn, and not for what is never sent', async () => {
  const gate = Promise.withResolvers<void>()
  const did: string[] = []
  const { call, failure } = open({
    atOnce: 1,
    tool: offered('get_issue', { inputSchema: { type: 'object', properties: { n: { type: 'string' } } } }),
    async does({ n }) {
      did.push(`called ${String(n)}`)
      if (n === 'first') await gate.promise
      return said('done')
    },
  })
  const one = (n: unknown) => ({ beforeSend: async () => void did.push(`before ${String(n)}`) })
  const both = ['first', 'second'].map((n) => call('github.getIssue', [{ n }], never, one(n)))
  expect(await failure('github.deleteAll', [], never, one('not granted'))).toMatchObject({ type: 'security' })
  await vi.waitFor(() => expect(did).toEqual(['before first', 'called first']))
  gate.resolve()
  await Promise.all(both)
  expect(did).toEqual(['before first', 'called first', 'before second', 'called second'])
  expect(await failure('github.getIssue', [{ n: 1 }], never, one(1))).toMatchObject({ code: 'TYPE_ERROR' })
  expect(did).toHaveLength(4)
  const lost = new Error('Somebody else does it')
  expect(await failure('github.getIssue', [], never, { beforeSend: () => Promise.reject(lost) })).toBe(lost)
  expect(did).toHaveLength(4)
})

describe('a tool of a source that has not told yet what it has', () => {
  function openLate(timeoutMs = 20_000) {
    const opened = open({ timeoutMs, tools: ['late-one.*', 'github.*'] })
    const late = scriptedSource('late-one', [])
    late.become('connecting')
    opened.registry.put(late.source, settings())
    return { ...opened, late }
  }

  test('is waited for', async () => {
    const { call, late } = openLate()
    const calling = call('lateOne.doIt')
    late.say({ kind: 'health' })
    late.become('unhealthy')
    late.become('healthy')
    late.offer([offered('do_it')])
    expect(await calling).toBe('done')
  })

  test('is waited for no longer than a call may take, and nothing is sent', async () => {
    const { failure, toolOf, late } = openLate(50)
    expect(await failure('lateOne.doIt')).toMatchObject({
      message: expect.stringContaining('has not told within 0.05 s what tools it has'),
      details: { reason: 'source_unavailable' },
    })
    await expect(toolOf('lateOne.doIt')).rejects.toMatchObject({ code: 'MCP_ERROR' })
    expect(late.told.calls).toEqual([])
  })

  test('is not waited for when the source has none of that name, unless it was there before', async () => {
    const { failure, call, late, registry } = openLate()
    expect(await failure('github.other')).toMatchObject({ details: { reason: 'tool_not_found' } })
    expect(await failure('nobody.other')).toMatchObject({ details: { reason: 'tool_not_found' } })
    late.become('healthy')
    expect(await failure('lateOne.other')).toMatchObject({ details: { reason: 'tool_not_found' } })
    await registry.remove('late-one')
    const consent = { by: 'owner', isOwner: true, inputHash: 'h' }
    const calling = call('lateOne.other', [], never, { consent })
    registry.put(scriptedSource('late-one', [offered('other')]).source, settings())
    expect(await calling).toBe('done')
  })
})

test('a timer is waited for, and ends with the run; nothing else is there', async () => {
  const { registry } = registryWith()
  const none = new ApiWriter().api([])
  const reach = openReach(
    {
      registry,
      observe: () => {},
      config: () => {
        throw new Error('not needed')
      },
    },
    { runId: 'r1', caller: owner, api: none, apiNow: () => none, grants: grantsWith() },
  )
  const begun = performance.now()
  await reach.call(1, 'timer', 'sleep', [30], never)
  expect(performance.now() - begun).toBeGreaterThan(28)
  for (const odd of [-1, 'x', Number.NaN, null])
    expect(await reach.call(1, 'timer', 'sleep', [odd], never)).toBeNull()
  const run = new AbortController()
  const sleeping = failureOf(reach.call(2, 'timer', 'sleep', [1e12], run.signal))
  run.abort(new Error('ended'))
  expect(await sleeping).toMatchObject({ message: 'ended' })
  for (const [kind, name] of [
    ['network', 'connect'],
    ['timer', 'x'],
  ] as const)
    await expect(reach.call(3, kind, name, [], never)).rejects.toMatchObject({ code: 'RUNTIME_ERROR' })
})
