import { expect, test, vi } from 'vitest'
import { findMarked } from '#lib/marked-processes.ts'
import { openSource, program } from '../../../test/support/mcp-source.ts'
import { howItEnded } from './last-words.ts'
import { endStraySources, sourcesMark } from './strays.ts'

const patient = { timeout: 20_000, interval: 20 }

test('a program is started, listed and called, and told nothing of ours but what the owner gave it', async () => {
  process.env['SIGNALBOX_TEST_SECRET'] = 'not for you'
  const { text, source, becomes } = openSource({ ...program('legacy-server'), env: { GIVEN: 'yes' } })
  await becomes('healthy')
  expect(source.health()).toMatchObject({
    protocol: '2025-11-25',
    server: 'legacy 1.0.0',
    tools: 12,
    error: null,
  })
  expect(source.health().pid).toBeGreaterThan(0)
  expect(source.instructions?.()).toBe('Be kind')
  const env = JSON.parse(await text('env')) as Record<string, string>
  expect(env).toMatchObject({ GIVEN: 'yes', PATH: process.env['PATH'] })
  expect(env).not.toHaveProperty('SIGNALBOX_TEST_SECRET')
})

test('a program that cannot be started, or ends, is told of with its last words, and tried again', async () => {
  const absent = openSource({ transport: 'stdio', command: 'no-such-program-anywhere' })
  await absent.becomes('unhealthy')
  expect(absent.source.health().error).toBe(
    'There is no program no-such-program-anywhere: it is not in a folder of PATH',
  )
  const failing = openSource(program('legacy-server', 'fails', 'the licence', 'is \u001b[31mgone'))
  await failing.becomes('unhealthy')
  const health = failing.source.health()
  expect(health.error).toBe(
    'It ended with exit code 1; the last line on its standard error was: the licence is \\u001b[31mgone',
  )
  expect(Date.parse(health.nextRetryAt ?? '')).toBeGreaterThan(Date.parse(health.errorAt ?? ''))
  const throwing = openSource({
    transport: 'stdio',
    command: process.execPath,
    args: ['-e', 'throw new TypeError("no luck")'],
  })
  await throwing.becomes('unhealthy')
  expect(throwing.source.health().error).toBe('It ended with exit code 1: TypeError: no luck')
})

test('a program that ends at a word it does not know is asked in the old way', async () => {
  const { becomes, source } = openSource(program('legacy-server', 'dies-at-unknown'))
  await becomes('healthy')
  expect(source.health()).toMatchObject({ protocol: '2025-11-25', error: null })
})

test('what is no message is skipped and told of', async () => {
  const { text, source } = openSource(program('legacy-server'))
  expect(await text('noise')).toBe('that was noisy')
  expect(source.health()).toMatchObject({
    status: 'healthy',
    error: expect.stringContaining('no message'),
  })
})

const tooLarge = {
  reason: 'answer_too_large',
  message:
    'under-test: Its answer is more than 16 MB, which is not read: ask for less, or for one part after the other',
}

test.each(['first', 'last'])(
  'an answer longer than any may be fails its own call only, with its id %s',
  async (id) => {
    const { call, text, source, becomes } = openSource(program('legacy-server'))
    await becomes('healthy')
    const { pid } = source.health()
    const neighbour = text('hold')
    await expect(call('large', { id })).rejects.toMatchObject(tooLarge)
    expect(await text('release')).toBe('done')
    expect(await neighbour).toBe('released')
    expect(source.health()).toMatchObject({ status: 'healthy', pid, error: null })
  },
)

test('an answer without an end ends the connection, and whoever else waits is told only that', async () => {
  const { call, text, source, becomes } = openSource(program('legacy-server'))
  await becomes('healthy')
  const { pid } = source.health()
  const neighbour = call('hold').catch((error: unknown) => error)
  await expect(call('huge')).rejects.toMatchObject(tooLarge)
  expect(await neighbour).toMatchObject({
    reason: 'source_unavailable',
    isUnsent: false,
    message: expect.stringContaining('What this call has done by then is not known'),
  })
  await becomes('healthy')
  expect(source.health().pid).not.toBe(pid)
  expect(await text('echo', { a: 1 })).toBe('{"a":1}')
})

test('a flood is read at our own pace, and the answer behind it arrives', async () => {
  const { text, source } = openSource(program('legacy-server'))
  const lines: unknown[] = []
  const began = performance.now()
  expect(await text('flood', {}, { onLog: (params) => lines.push(params) })).toBe('that was a lot')
  expect(lines).toHaveLength(5_000)
  expect(performance.now() - began).toBeGreaterThan(1_000)
  expect(source.health().status).toBe('healthy')
})

test('everything that a program has started ends with it, also who has gone away and will not listen', async () => {
  const { source, home, becomes } = openSource(program('legacy-server', 'leaves-strays'))
  await becomes('healthy')
  await vi.waitFor(() => expect(findMarked(sourcesMark, [home]).length).toBeGreaterThan(1), patient)
  await source.close()
  expect(findMarked(sourcesMark, [home])).toEqual([])
})

test('a program that ends neither with its input nor when asked is killed', async () => {
  const { source, home, becomes } = openSource(program('legacy-server', 'ignores-everything'))
  await becomes('healthy')
  await source.close()
  expect(findMarked(sourcesMark, [home])).toEqual([])
})

test('what a killed worker has left is found by its mark', async () => {
  const { home, becomes } = openSource(program('legacy-server', 'leaves-strays'))
  await becomes('healthy')
  await vi.waitFor(() => expect(findMarked(sourcesMark, [home]).length).toBeGreaterThan(1), patient)
  expect(await endStraySources(`${home}-of-another`)).toBe(true)
  expect(findMarked(sourcesMark, [home]).length).toBeGreaterThan(1)
  const before = findMarked(sourcesMark, [home])
  expect(await endStraySources(home)).toBe(true)
  const left = findMarked(sourcesMark, [home]).map(({ pid }) => pid)
  for (const { pid } of before) expect(left).not.toContain(pid)
})

test('what is no answer by the protocol fails its call at once', async () => {
  const { call } = openSource(program('legacy-server'))
  await expect(call('null')).rejects.toMatchObject({
    reason: 'source_failed',
    message: 'under-test: It answered with something that is no answer',
  })
})

test('only what complains is given as the reason of an end', () => {
  expect(howItEnded(4, null, 'hello\n')).toBe(
    'it ended with exit code 4; the last line on its standard error was: hello',
  )
  expect(howItEnded(1, null, 'hello\nGITHUB_TOKEN is missing\nbye\n')).toBe(
    'it ended with exit code 1: GITHUB_TOKEN is missing',
  )
  expect(howItEnded(null, 'SIGKILL', '')).toBe('it was ended by SIGKILL')
})
