import { expect, test } from 'vitest'
import type { SourceStatus } from '#contract/source.ts'
import type { Caller, SourceChange, ToolSource } from '#tools/port.ts'
import { toldSources } from './told-sources.ts'

const caller: Caller = { kind: 'person', id: 'ada', isOwner: true }

/** A registry whose sources stand as the test says. */
function registryOf(statuses: SourceStatus[]) {
  const listeners = new Set<(source: string, change: SourceChange) => void>()
  return {
    listeners,
    sources: () => statuses.map((status) => ({ health: () => ({ status }) }) as unknown as ToolSource),
    onChange(listener: (source: string, change: SourceChange) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    become(at: number, status: SourceStatus) {
      statuses[at] = status
      for (const listener of listeners) listener('one', { kind: 'health' })
    },
  }
}

test('sources that were just begun are waited for until the last of them has told, or failed', async () => {
  const registry = registryOf(['healthy', 'connecting', 'connecting'])
  let isTold = false
  const told = toldSources(registry, caller).then(() => (isTold = true))
  registry.become(1, 'healthy')
  await Promise.resolve()
  expect(isTold).toBe(false)
  registry.become(2, 'unhealthy')
  await told
  expect(registry.listeners.size).toBe(0)
})

test('nobody waits for a source that is known, or known to be away', async () => {
  const registry = registryOf(['healthy', 'unhealthy'])
  await toldSources(registry, caller)
  expect(registry.listeners.size).toBe(0)
})
