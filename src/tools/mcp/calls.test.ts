import { describe, expect, test, vi } from 'vitest'
import { ada, bob, openSource, program } from '../../../test/support/mcp-source.ts'
import type { OpenedSource } from '../../../test/support/mcp-source.ts'
import { startProgram } from '../../../test/support/start-program.ts'

const patient = { timeout: 20_000, interval: 20 }
const modernHttp = async () =>
  openSource({ transport: 'http', url: await startProgram('modern-server', 'http') })

const kinds: [string, string, () => OpenedSource | Promise<OpenedSource>][] = [
  ['2025 by stdio', '2025-11-25', () => openSource(program('legacy-server'))],
  ['2026 by stdio', '2026-07-28', () => openSource(program('modern-server'))],
  ['2026 by HTTP', '2026-07-28', modernHttp],
]

describe.each(kinds)('%s', (_name, protocol, open) => {
  test('a call has its answer, its progress and its log, and can be cancelled', async () => {
    const { call, text, source } = await open()
    expect(await text('echo', { a: 1 })).toBe('{"a":1}')
    expect(source.health()).toMatchObject({ status: 'healthy', protocol })
    const progress: unknown[] = []
    expect(await text('count', {}, { onProgress: (told) => progress.push(told) })).toBe('counted')
    expect(progress).toEqual([1, 2, 3].map((at) => ({ progress: at, total: 3 })))
    const lines: unknown[] = []
    expect(await text('log', {}, { onLog: (line) => lines.push(line) })).toBe('logged')
    await vi.waitFor(() => expect(lines).toMatchObject([{ level: 'info', data: 'a line' }]), patient)

    const hangUp = new AbortController()
    const waiting = call('wait', {}, { signal: hangUp.signal, onProgress: () => hangUp.abort() })
    await expect(waiting).rejects.toMatchObject({ reason: 'cancelled' })
    await vi.waitFor(async () => expect(await text('cancelled')).toMatch(/\[.*\d.*\]/), patient)
  })

  test('tools that appear are there soon, and are told of once', async () => {
    const { text, source, changes, becomes } = await open()
    await becomes('healthy')
    const before = source.tools().length
    changes.length = 0
    // Over HTTP the stream that tells of it may be opened a moment after the first answer.
    await vi.waitFor(async () => {
      await text('learn')
      await vi.waitFor(() => expect(source.tools()).toHaveLength(before + 1), { timeout: 1_000 })
    }, patient)
    expect(source.tools().at(-1)?.name).toBe('fresh')
    expect(changes.filter(({ kind }) => kind === 'tools')).toHaveLength(1)
  })

  test('what is not asked of tools is passed on, and what is not known is not', async () => {
    const { source } = await open()
    const hands = { signal: AbortSignal.timeout(15_000) }
    const listed = await source.request?.(ada, 'resources/list', {}, hands)
    expect(listed).toMatchObject({ resources: [{ uri: 'thing://one' }] })
    await expect(source.request?.(ada, 'tools/call', {}, hands)).rejects.toMatchObject({
      reason: 'source_failed',
      context: { code: -32601 },
    })
  })
})

describe.each(kinds.slice(1))('asked by %s', (_name, _protocol, open) => {
  test('the questions of one round are asked at once, and the answers go back with the state', async () => {
    const { text } = await open()
    const asked: unknown[] = []
    const said = await text(
      'ask',
      {},
      {
        ask: async (requests) => {
          asked.push(requests)
          return Object.fromEntries(
            Object.keys(requests).map((key) => [key, { action: 'accept', content: { city: key } }]),
          )
        },
      },
    )
    expect(asked).toMatchObject([
      { where: { method: 'elicitation/create' }, whence: { params: { message: 'Whence?' } } },
    ])
    expect(JSON.parse(said)).toEqual({
      answers: {
        where: { action: 'accept', content: { city: 'where' } },
        whence: { action: 'accept', content: { city: 'whence' } },
      },
      state: 'halfway',
    })
  })

  test('without anybody to ask, questions are taken back', async () => {
    const { text } = await open()
    expect(JSON.parse(await text('ask'))).toMatchObject({ answers: { where: { action: 'cancel' } } })
  })
})

describe('asked by a server of 2025', () => {
  const question = { method: 'elicitation/create', params: { message: 'Where?', requestedSchema: {} } }

  test('whoever called is asked', async () => {
    const { text } = openSource(program('legacy-server'))
    const ask = async (requests: object) => {
      expect(Object.values(requests)).toEqual([question])
      return { [Object.keys(requests)[0] ?? '']: { action: 'decline' } }
    }
    expect(JSON.parse(await text('ask', question, { ask }))).toEqual({ action: 'decline' })
  })

  test('nobody is there: a question is taken back, there are no roots, and a model is refused', async () => {
    const { text } = openSource(program('legacy-server'))
    expect(JSON.parse(await text('ask', question))).toEqual({ action: 'cancel' })
    expect(JSON.parse(await text('ask', { method: 'roots/list' }))).toEqual({ roots: [] })
    const sampling = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
    expect(JSON.parse(await text('ask', sampling))).toMatchObject({ error: { code: -32601 } })
    const rejects = async () => Promise.reject(new Error('gone'))
    expect(JSON.parse(await text('ask', question, { ask: rejects }))).toEqual({ action: 'cancel' })
  })

  test('when different people wait, the question is put to none of them', async () => {
    const { call, text } = openSource(program('legacy-server'))
    const hangUp = new AbortController()
    const ask = vi.fn<() => Promise<Record<string, never>>>(async () => ({}))
    const waiting = call('wait', {}, { signal: hangUp.signal, ask }, bob).catch(() => {})
    expect(JSON.parse(await text('ask', question, { ask }))).toEqual({ action: 'cancel' })
    expect(ask).not.toHaveBeenCalled()
    hangUp.abort()
    await waiting
  })
})

test('an argument that is to be in a header is, and a tool that asks for it wrongly is left out', async () => {
  const { text, source } = await modernHttp()
  const said = await text('in-header', { region: 'north' })
  expect(JSON.parse(said)).toEqual({ region: 'north', header: 'north' })
  expect(source.tools().map(({ name }) => name)).not.toContain('in-bad-header')
})

test('a resource is followed, and followed again after the connection was lost', async () => {
  const { source, changes, call, becomes } = openSource(program('legacy-server'))
  await becomes('healthy')
  const hands = { signal: AbortSignal.timeout(15_000) }
  const updates = () => changes.filter((change) => change.kind === 'notification')
  await source.request?.(ada, 'resources/subscribe', { uri: 'thing://one' }, hands)
  await vi.waitFor(() => expect(updates()).toHaveLength(1), patient)
  expect(updates()).toMatchObject([
    { method: 'notifications/resources/updated', params: { uri: 'thing://one' } },
  ])
  await expect(call('die')).rejects.toMatchObject({ reason: 'source_failed' })
  await vi.waitFor(() => expect(updates()).toHaveLength(2), patient)
  await source.request?.(ada, 'resources/unsubscribe', { uri: 'thing://one' }, hands)
})
