import { expect, test, vi } from 'vitest'
import type { SourceStatus } from '#contract/source.ts'
import type { Caller, OfferedTool, ToolSource } from '#tools/port.ts'
import { toldSources } from './told-sources.ts'

const caller: Caller = { kind: 'person', id: 'ada', isOwner: true }
const { signal } = new AbortController()

/** A registry whose sources stand as the test says. */
function registryOf(statuses: SourceStatus[], tools: readonly OfferedTool[] = []) {
  const listeners = new Set<() => void>()
  const sources = statuses.map(
    (_, at) =>
      ({
        name: `source ${at}`,
        health: () => ({ status: statuses[at] }),
        tools: () => tools,
        onChange(listener: () => void) {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      }) as unknown as ToolSource,
  )
  return {
    listeners,
    sources: () => sources,
    become(at: number, status: SourceStatus) {
      statuses[at] = status
      for (const listener of listeners) listener()
    },
  }
}

test('sources that were just begun are waited for until the last of them has told, or failed', async () => {
  const registry = registryOf(['healthy', 'connecting', 'connecting'])
  let isTold = false
  const told = toldSources(registry, caller, signal).then(() => (isTold = true))
  registry.become(1, 'healthy')
  await new Promise(setImmediate)
  expect(isTold).toBe(false)
  registry.become(2, 'unhealthy')
  await told
  expect(registry.listeners.size).toBe(0)
})

test('nobody waits for a source that is known, known to be away, or being reached again', async () => {
  const registry = registryOf(['healthy', 'unhealthy'])
  await toldSources(registry, caller, signal)
  registry.become(0, 'connecting')
  registry.become(1, 'connecting')
  await toldSources(registry, caller, signal)
  const again = registryOf(['connecting'], [{ name: 'read', inputSchema: {} }])
  await toldSources(again, caller, signal)
  expect([registry.listeners.size, again.listeners.size]).toEqual([0, 0])
})

test('one that says nothing is waited for once, by all turns together', async () => {
  vi.useFakeTimers()
  try {
    const registry = registryOf(['connecting'])
    let told = 0
    const turn = () => toldSources(registry, caller, signal).then(() => (told += 1))
    const first = turn()
    await vi.advanceTimersByTimeAsync(6_000)
    const second = turn()
    await vi.advanceTimersByTimeAsync(4_001)
    await Promise.all([first, second])
    expect(told).toBe(2)
    await turn()
    expect([registry.listeners.size, vi.getTimerCount()]).toEqual([0, 0])
  } finally {
    vi.useRealTimers()
  }
})

test('a turn that is ended meanwhile does not wait', async () => {
  const ending = new AbortController()
  const told = toldSources(registryOf(['connecting']), caller, ending.signal)
  ending.abort(new Error('cancelled'))
  await expect(told).rejects.toThrow('cancelled')
})
