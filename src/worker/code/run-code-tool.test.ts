import { expect, test, vi } from 'vitest'
import type { CodeResult, CodeWaiting, ExecuteCode } from '#contract/execute.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { openNativeSource } from '#tools/native-source.ts'
import type { CallHands, Caller } from '#tools/port.ts'
import type { CodeAnswer, CodeEars, MachineCode } from './machine-code.ts'
import { codeTools } from './run-code-tool.ts'

const agent: Caller = {
  kind: 'agent',
  id: 'agent:1',
  agentId: '1',
  agentName: 'One',
  allowedTools: [],
  sessionId: newId(),
  executionId: newId(),
  onBehalfOf: 'owner',
}
const person: Caller = { kind: 'person', id: 'ada', isOwner: false, scopes: ['tools', 'code'] }

const metrics = { executionTime: 1, memoryUsed: 1, cpuTime: 1, apiCalls: 0 }
const fine = (result: unknown): CodeResult => ({
  success: true,
  result,
  logs: [],
  metrics,
  requestId: newId(),
})
const failed = (error: Omit<NonNullable<CodeResult['error']>, 'requestId' | 'timestamp'>): CodeResult => {
  const { requestId, ...rest } = fine(undefined)
  const timestamp = new Date().toISOString()
  return { ...rest, success: false, logs: ['begun'], requestId, error: { ...error, requestId, timestamp } }
}
const approval = { id: newId(), tool: 'sheep.shear', title: 'Shear it', expiresAt: new Date().toISOString() }
const asked: CodeWaiting = { requestId: '', approvals: [approval] }
const waits = (): CodeAnswer => ({ waiting: asked })

/** The tool, with a machine that answers what it is told to, and a run that ends when it is told to. */
function open(answer: () => CodeAnswer | Promise<CodeAnswer>, patienceMs?: number) {
  const runs: (ExecuteCode & { requestId: string })[] = []
  const ends = new Map<string, (result: CodeResult) => void>()
  const waitedFor: string[] = []
  const hasEnded = new Set<string>()
  const machine: Partial<MachineCode> = {
    async execute(_by, wanted, { requestId = '' }) {
      runs.push({ ...wanted, requestId })
      return answer()
    },
    ended: (_by, requestId, { signal, onWaiting }: CodeEars) =>
      new Promise((resolve, reject) => {
        waitedFor.push(requestId)
        ends.set(requestId, resolve)
        onWaiting?.({ ...asked, requestId })
        const leave = () => reject(new Error('Nobody waits'))
        if (signal.aborted) leave()
        signal.addEventListener('abort', leave)
      }),
  }
  const source = openNativeSource(
    codeTools({
      openWishes: async () => [],
      hasEnded: async (requestId) => hasEnded.has(requestId),
      code: async () => machine as MachineCode,
      ...(patienceMs !== undefined && { patienceMs }),
    }),
  )
  const call = async (caller: Caller, args: Record<string, unknown>, hands: Partial<CallHands> = {}) => {
    const {
      content,
      structuredContent,
      isError = false,
    } = await source.call(caller, 'run_code', args, {
      signal: new AbortController().signal,
      ...hands,
    })
    return { text: String(content[0]?.['text']), data: structuredContent, isError }
  }
  return { runs, ends, waitedFor, hasEnded, call }
}

const untilWaited = (waitedFor: string[], times: number) =>
  vi.waitUntil(() => waitedFor.length === times, { timeout: 20_000 })

test('code is given all tools of whoever runs it, their session, and nothing else', async () => {
  const { call, runs } = open(() => ({ result: fine(2) }))
  expect(await call(agent, { code: 'return 1+1', context: { a: 1 }, timeout: 500 })).toMatchObject({
    data: { result: 2, logs: [] },
    isError: false,
  })
  const capabilities = ['mcp:*']
  expect(runs[0]).toMatchObject({ sessionId: agent.sessionId, capabilities, context: { a: 1 }, timeout: 500 })
  await call(person, { code: 'return 1', capabilities: ['mcp:github'] })
  expect(runs[1]).toMatchObject({ capabilities: ['mcp:github'], check: true, typescript: true })
  expect(runs[1]).not.toHaveProperty('sessionId')
})

test('only a person says yes beforehand', async () => {
  const { call, runs } = open(() => ({ result: fine(2) }))
  await call({ ...person, confirmed: true }, { code: 'return 1' })
  await call({ ...agent, confirmed: true } as Caller, { code: 'return 1' })
  expect(runs.map(({ confirm }) => confirm)).toEqual([true, undefined])
  expect(await call(agent, { code: 'return 1', confirm: true })).toMatchObject({ isError: true })
})

test('what does not fit is told with its line, so that it can be corrected', async () => {
  const code = 'const a = 1\nreturn mcp.sheep.sheer()'
  const diagnostic = {
    line: 2,
    column: 18,
    message: "Property 'sheer' does not exist.",
    suggestion: "Did you mean 'shear'?",
  }
  const { call } = open(() => ({
    result: failed({
      type: 'validation',
      code: 'TYPE_ERROR',
      message: 'The code does not fit',
      details: { diagnostics: [diagnostic] },
    }),
  }))
  const { text, data, isError } = await call(agent, { code })
  expect(isError).toBe(true)
  expect(text).toBe(
    [
      'validation TYPE_ERROR: Nothing of the code was run, because it does not fit. Correct it and call run_code again.',
      "line 2, column 18: Property 'sheer' does not exist. Did you mean 'shear'?",
      '  2 | return mcp.sheep.sheer()',
      'It had logged:',
      'begun',
    ].join('\n'),
  )
  expect(data).toMatchObject({ error: { code: 'TYPE_ERROR', details: { diagnostics: [diagnostic] } } })
})

test('what goes wrong on the way is told with its place', async () => {
  const details = { line: 1, column: 7, tool: 'sheep.shear' }
  const { call } = open(() => ({
    result: failed({ type: 'mcp', code: 'MCP_ERROR', message: 'It ran away', details }),
  }))
  const { text } = await call(agent, { code: 'await mcp.sheep.shear()' })
  expect(text).toContain('mcp MCP_ERROR: It ran away (line 1, column 7)\n  1 | await mcp.sheep.shear()')
})

test('what is refused before it runs is an answer', async () => {
  const { call } = open(() => {
    throw new Problem('does_not_fit', 'Too many run already')
  })
  expect(await call(agent, { code: 'return 1' })).toMatchObject({
    isError: true,
    text: 'Too many run already',
  })
  expect(await call(agent, {})).toMatchObject({ isError: true, text: expect.stringContaining('requestId') })
})

test('an agent waits for as long as a person is asked, and the time of the call stands still', async () => {
  const { call, ends, waitedFor } = open(waits, 1)
  let isStill = false
  const whileAsking: CallHands['whileAsking'] = async (asking) => {
    isStill = true
    return asking().finally(() => (isStill = false))
  }
  const called = call(agent, { code: 'return 1' }, { whileAsking })
  await untilWaited(waitedFor, 1)
  expect(isStill).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 20))
  ends.get(waitedFor[0] ?? '')?.(fine('sheared'))
  expect(await called).toMatchObject({ data: { result: 'sheared' } })
  expect(isStill).toBe(false)
})

test("a person's client is told in time what is waited for, asks for it again, and hears it once", async () => {
  const { call, ends, waitedFor, runs } = open(waits, 50)
  const first = await call(person, { code: 'return 1' })
  const [{ requestId } = { requestId: '' }] = runs
  expect(first.text).toContain('sheep.shear: Shear it')
  expect(first.text).toContain(`{"requestId":"${requestId}"}`)
  expect(first.data).toEqual({ requestId, waitingFor: [approval] })
  const again = call(person, { requestId })
  await untilWaited(waitedFor, 2)
  ends.get(requestId)?.(fine('sheared'))
  expect(await again).toMatchObject({ data: { result: 'sheared' } })
  expect(runs).toHaveLength(1)
  await call(person, { code: 'return 1' })
  expect(runs).toHaveLength(2)
})

test('whoever gave up and asks for the same again gets that run, and nothing is done twice', async () => {
  const { call, ends, waitedFor, runs } = open(waits)
  const client = new AbortController()
  const lost = call(agent, { code: 'return 1' }, { signal: client.signal })
  await untilWaited(waitedFor, 1)
  client.abort()
  await expect(lost).rejects.toThrow('Nobody waits')

  // Not in another turn, and not by somebody else.
  for (const other of [
    { ...agent, executionId: newId() },
    { ...agent, id: 'agent:2' },
  ])
    void call(other, { code: 'return 1' }).catch(() => undefined)
  await untilWaited(waitedFor, 3)
  expect(runs).toHaveLength(3)
  const again = call(agent, { code: 'return 1' })
  await untilWaited(waitedFor, 4)
  expect([runs.length, waitedFor[3]]).toEqual([3, runs[0]?.requestId])
  // Somebody waits for that one now: the same once more is a run of its own.
  void call(agent, { code: 'return 1' }).catch(() => undefined)
  await untilWaited(waitedFor, 5)
  expect(runs).toHaveLength(4)
  ends.get(runs[0]?.requestId ?? '')?.(fine('once'))
  expect(await again).toMatchObject({ data: { result: 'once' } })
})

test('a person who runs the same code again gets the run that waits, and a new one when that has ended', async () => {
  const { call, hasEnded, waitedFor, runs } = open(waits, 50)
  await call(person, { code: 'return 1' })
  const [{ requestId } = { requestId: '' }] = runs
  await call(person, { code: 'return 1' })
  expect([runs.length, waitedFor]).toEqual([1, [requestId, requestId]])
  hasEnded.add(requestId)
  await call(person, { code: 'return 1' })
  expect(runs).toHaveLength(2)
  expect(waitedFor.at(-1)).toBe(runs[1]?.requestId)
})

test('an agent whose client gave up hears what came of its run, although it has ended meanwhile', async () => {
  const { call, hasEnded, ends, waitedFor, runs } = open(waits)
  const client = new AbortController()
  const lost = call(agent, { code: 'return 1' }, { signal: client.signal })
  await untilWaited(waitedFor, 1)
  client.abort()
  await expect(lost).rejects.toThrow('Nobody waits')
  const [{ requestId } = { requestId: '' }] = runs
  hasEnded.add(requestId)
  const again = call(agent, { code: 'return 1' })
  await untilWaited(waitedFor, 2)
  ends.get(requestId)?.(fine('once'))
  expect(await again).toMatchObject({ data: { result: 'once' } })
  expect(runs).toHaveLength(1)
})
