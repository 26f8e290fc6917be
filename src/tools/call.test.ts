import pino from 'pino'
import { RetryPolicy } from '#contract/source.ts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { agent, failureOf, noHands, offered, openOnce, owner, said, user } from './fixtures/registry.ts'
import { CallFailed } from './port.ts'
import type { OfferedTool, Progress } from './port.ts'

const { withSource, closeAll } = openOnce()
afterEach(async () => {
  vi.useRealTimers()
  await closeAll()
})

describe('consent', () => {
  test('is asked for what an agent calls, with what it calls it with, and not for a person', async () => {
    const { call, questions, told } = withSource()
    await call(agent, { a: 1 })
    await call(owner, { a: 2 })
    expect(questions).toMatchObject([
      { caller: agent, tool: { name: 'github.get' }, args: { a: 1 }, isChanged: false },
    ])
    expect(told.calls).toEqual([{ a: 1 }, { a: 2 }])
  })

  test('that is refused leaves everything undone', async () => {
    const { call, told, notes } = withSource({
      hands: {
        approve: async () => {
          throw new CallFailed('tool_refused', 'No.')
        },
      },
    })
    expect(await failureOf(call(agent))).toMatchObject({ reason: 'tool_refused', message: 'No.' })
    expect(told.calls).toEqual([])
    expect(notes).toMatchObject([{ outcome: 'refused', code: 'tool_refused' }])
  })

  test('takes its time: the clock of the call stands still', async () => {
    vi.useFakeTimers()
    const answer = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const approve = () => {
      asked.resolve()
      return answer.promise
    }
    const { call } = withSource({ timeout: 1_000, hands: { approve } })
    const calling = call(agent)
    await asked.promise
    vi.advanceTimersByTime(3_600_000)
    answer.resolve()
    expect(await calling).toEqual(said('done'))
  })

  test('tells whoever waits every ten seconds that a person is asked, always more, and the source goes on from there', async () => {
    vi.useFakeTimers()
    const answer = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const approve = () => {
      asked.resolve()
      return answer.promise
    }
    const { call } = withSource({
      hands: { approve },
      does: (_, { onProgress }) => {
        for (const progress of [0, 0, 0.000_001, 1, 2]) onProgress?.({ progress, message: 'mine' })
        return said('done')
      },
    })
    const heard: Progress[] = []
    const calling = call(agent, {}, { ...noHands(), onProgress: (progress) => void heard.push(progress) })
    await asked.promise
    vi.advanceTimersByTime(9_000)
    expect(heard).toEqual([])
    vi.advanceTimersByTime(3_600_000)
    expect(heard).toHaveLength(360)
    expect(heard[0]).toMatchObject({ message: 'Waits for a person to answer' })
    answer.resolve()
    await calling
    vi.advanceTimersByTime(60_000)
    expect(heard.slice(360)).toMatchObject([{}, {}, {}, { progress: 1 }, { progress: 2, message: 'mine' }])
    const numbers = heard.map(({ progress }) => progress)
    expect(numbers).toEqual([...new Set(numbers)].toSorted((one, other) => one - other))
    expect(numbers[362]).toBeLessThan(0.001)
  })

  test('that comes at once changes nothing of what the source tells', async () => {
    const { call } = withSource({
      does: (_, { onProgress }) => {
        for (const progress of [0, 0, 2, 1]) onProgress?.({ progress })
        return said('done')
      },
    })
    const heard: number[] = []
    await call(agent, {}, { ...noHands(), onProgress: ({ progress }) => void heard.push(progress) })
    expect(heard).toEqual([0, 0, 2, 1])
  })

  test('is left to the rules where a tool needs none, and to the other registry where one asks', async () => {
    const { call, questions, offer } = withSource({ tool: offered('get', { needsNoApproval: true }) })
    await call(agent)
    expect(questions).toMatchObject([{ isExempt: true, isChanged: false }])
    offer([offered('get', { isAskedElsewhere: true })])
    await call(agent)
    expect(questions).toHaveLength(1)
  })

  test('is no longer asked for when the caller hangs up', async () => {
    const asked = Promise.withResolvers<AbortSignal>()
    const { call, told } = withSource({
      hands: {
        approve: (_, signal) => {
          asked.resolve(signal)
          return new Promise(() => {})
        },
      },
    })
    const hanging = new AbortController()
    const calling = failureOf(call(agent, {}, { signal: hanging.signal }))
    const signal = await asked.promise
    hanging.abort()
    expect(await calling).toMatchObject({ reason: 'cancelled' })
    expect(signal.aborted).toBe(true)
    expect(told.calls).toEqual([])
  })
})

describe('what is to be done before it is sent', () => {
  test('is done after all else, once, however often it is tried', async () => {
    const did: string[] = []
    const { call } = withSource({
      tool: offered('get', { annotations: { readOnlyHint: true } }),
      hands: { approve: async () => void did.push('approved') },
      does: () => {
        did.push('called')
        if (did.length < 5) throw new CallFailed('source_unavailable', 'Not now.')
        return said('done')
      },
    })
    await call(agent, {}, { ...noHands(), beforeSend: async () => void did.push('before') })
    expect(did).toEqual(['approved', 'before', 'called', 'called', 'called'])
  })

  test('keeps it from being sent when it fails, and when the tool is another one by then', async () => {
    const { call, told, offer } = withSource({ retryPolicy: RetryPolicy.parse({ maxRetries: 3 }) })
    const lost = new Error('Somebody else does it')
    expect(await failureOf(call(agent, {}, { ...noHands(), beforeSend: () => Promise.reject(lost) }))).toBe(
      lost,
    )
    expect(told.calls).toEqual([])
    const change = async () => offer([])
    const failure = await failureOf(call(agent, {}, { ...noHands(), beforeSend: change }))
    expect(failure).toMatchObject({ reason: 'tool_not_found' })
    expect(told.calls).toEqual([])
  })

  test('is not waited for longer than the call may take', async () => {
    const { call, told } = withSource({ timeout: 20 })
    const begun = Promise.withResolvers<void>()
    const hands = { ...noHands(), beforeSend: () => begun.promise }
    expect(await failureOf(call(agent, {}, hands))).toMatchObject({ reason: 'tool_timed_out' })
    begun.resolve()
    await begun.promise
    expect(told.calls).toEqual([])
  })
})

describe('a call', () => {
  test('with arguments that do not fit reaches nobody', async () => {
    const { call, told, questions } = withSource({
      tool: offered('get', { inputSchema: { type: 'object', required: ['id'] } }),
    })
    expect(await failureOf(call(agent))).toMatchObject({
      reason: 'bad_arguments',
      message: expect.stringContaining('args.id is needed'),
    })
    expect([told.calls, questions]).toEqual([[], []])
  })

  test('of a tool whose schema nobody could mean is refused with the reason', async () => {
    const { call } = withSource({ tool: offered('get', { inputSchema: { x: 'x'.repeat(600_000) } }) })
    expect(await failureOf(call())).toMatchObject({
      reason: 'source_failed',
      message: expect.stringContaining('larger than'),
    })
  })

  test('ends in time, whether its source listens or not', async () => {
    const heard: unknown[] = []
    const { call } = withSource({
      timeout: 50,
      does: (_, { signal }) => {
        signal.addEventListener('abort', () => heard.push(signal.reason))
        return new Promise(() => {})
      },
    })
    expect(await failureOf(call())).toMatchObject({ reason: 'tool_timed_out' })
    expect(heard).toMatchObject([{ reason: 'tool_timed_out' }])
  })

  test('ends when the caller hangs up, and is not tried again', async () => {
    const hanging = new AbortController()
    const { call, told } = withSource({
      tool: offered('get', { annotations: { readOnlyHint: true } }),
      does: async (_, { signal }) => {
        hanging.abort()
        signal.throwIfAborted()
        throw new CallFailed('source_unavailable', 'gone', { isUnsent: true })
      },
    })
    const failure = await failureOf(call(owner, {}, { signal: hanging.signal }))
    expect(failure).toMatchObject({ reason: 'cancelled' })
    expect(told.calls).toHaveLength(1)
    expect(await failureOf(call(owner, {}, { signal: hanging.signal }))).toMatchObject({
      reason: 'cancelled',
    })
    expect(told.calls).toHaveLength(1)
  })

  test.each<[string, OfferedTool['annotations'], boolean, number]>([
    ['only reads', { readOnlyHint: true }, false, 4],
    ['changes something', {}, false, 1],
    ['has not left', {}, true, 4],
  ])('that %s is tried as often as it may', async (_, annotations, isUnsent, tries) => {
    const { call, told, notes } = withSource({
      tool: offered('get', annotations ? { annotations } : {}),
      does: () => {
        throw new CallFailed('source_unavailable', 'down', { isUnsent })
      },
    })
    expect(await failureOf(call())).toMatchObject({ reason: 'source_unavailable' })
    expect(told.calls).toHaveLength(tries)
    expect(notes).toHaveLength(1)
    expect(notes[0]?.detail['tries'] ?? 1).toBe(tries)
  })

  test('works out in the end', async () => {
    let tries = 0
    const { call } = withSource({
      does: () => {
        tries += 1
        if (tries < 3) throw new CallFailed('source_unavailable', 'down', { isUnsent: true })
        return said('up')
      },
    })
    expect(await call()).toEqual(said('up'))
  })

  test('counts, and is one too many at some time', async () => {
    const { call, told } = withSource({ rateLimit: 2 })
    await call()
    await call()
    const failure = await failureOf(call())
    expect(failure).toMatchObject({
      reason: 'too_many_calls',
      context: { retryAfterSec: expect.any(Number) as number },
    })
    expect(told.calls).toHaveLength(2)
  })

  test('waits while as many as may be are under way', async () => {
    const gate = Promise.withResolvers<void>()
    let [now, most] = [0, 0]
    const { call, told } = withSource({
      maxConcurrent: 2,
      does: async () => {
        now += 1
        most = Math.max(most, now)
        await gate.promise
        now -= 1
        return said('done')
      },
    })
    const calls = Array.from({ length: 6 }, () => call())
    await expect.poll(() => told.calls.length).toBe(2)
    gate.resolve()
    await Promise.all(calls)
    expect([most, told.calls.length]).toEqual([2, 6])
  })

  test('that asks back has all the time it needs', async () => {
    vi.useFakeTimers()
    const { call } = withSource({
      timeout: 1_000,
      does: async (_, { ask }) => {
        const answers = await ask?.({ name: { method: 'elicitation/create' } })
        return said(String(answers?.['name']?.['content']))
      },
    })
    const ask = async () => {
      vi.advanceTimersByTime(3_600_000)
      return { name: { content: 'Ada' } }
    }
    expect(await call(owner, {}, { ...noHands(), ask })).toEqual(said('Ada'))
  })

  test('whose answer is not as its schema says has failed', async () => {
    const { call, notes } = withSource({
      tool: offered('get', {
        outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      }),
      does: ({ sum }) => ({ ...said('sum'), structuredContent: { sum }, isError: sum === undefined }),
    })
    expect(await failureOf(call(owner, { sum: 'three' }))).toMatchObject({
      reason: 'source_failed',
      message: expect.stringContaining('structuredContent.sum must be number'),
    })
    await call(owner, { sum: 3 })
    await call(owner, {})
    expect(notes.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['failed', 'source_failed'],
      ['ok', undefined],
      ['failed', undefined],
    ])
  })

  test('tells how far it is, and nothing once it is over', async () => {
    const heard: number[] = []
    const late = Promise.withResolvers<void>()
    const { call } = withSource({
      timeout: 50,
      does: (_, { onProgress, signal }) => {
        onProgress?.({ progress: 1 })
        signal.addEventListener('abort', () => {
          onProgress?.({ progress: 2 })
          late.resolve()
        })
        return new Promise(() => {})
      },
    })
    const onProgress = ({ progress }: { progress: number }) => void heard.push(progress)
    await failureOf(call(owner, {}, { ...noHands(), onProgress }))
    await late.promise
    expect(heard).toEqual([1])
  })

  test('that runs into a bug tells the log of it, and nobody else', async () => {
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    const { call } = withSource({
      log,
      does: () => {
        throw new Error('ENOENT: /home/me/.signalbox/secret')
      },
    })
    const failure = await failureOf(call())
    expect(failure).toMatchObject({ reason: 'source_failed' })
    expect(String(failure)).not.toContain('secret')
    expect(lines).toEqual([expect.stringContaining('signalbox/secret')])
  })

  test('whose answer is too long leaves the rest to be read', async () => {
    const { registry, call, notes } = withSource({ does: () => said('x'.repeat(150_000)) })
    const { _meta: meta } = await call(agent)
    const rest = meta?.['signalbox/rest'] as { handle: string; offset: number } | undefined
    const { handle = '', offset = 0 } = rest ?? {}
    expect(await registry.readResult(agent, { handle, offset })).toEqual(said('x'.repeat(50_000)))
    const { _meta: again } = await registry.readResult(agent, { handle, offset: 10 })
    expect(again).toEqual({ 'signalbox/rest': { handle, offset: 100_010, total: 150_000 } })
    expect(await failureOf(registry.readResult(user, { handle, offset: 0 }))).toMatchObject({
      reason: 'bad_arguments',
    })
    expect(notes[0]?.detail).toMatchObject({ chars: 150_000, isCut: true })
    expect((await call(owner)).content[0]?.['text']).toHaveLength(150_000)
  })
})

test('a call adds well under a millisecond', async () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }
  const { call } = withSource({ tool: offered('get', { inputSchema }), rateLimit: 1_000_000 })
  for (let time = 0; time < 200; time += 1) await call(agent, { a: time })
  const before = process.threadCpuUsage()
  for (let time = 0; time < 1_000; time += 1) await call(agent, { a: time })
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1_000 / 1_000).toBeLessThan(0.5)
})
