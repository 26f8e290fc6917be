import { join } from 'node:path'
import { openCodeMode } from '#codemode/open.ts'
import type { Registry } from '#tools/port.ts'
import type { MachineCode } from '#worker/code/machine-code.ts'
import { openMachineCode } from '#worker/code/open.ts'
import type { CodeNeeds } from './code-here.ts'

/** Runs that wait for a thread, altogether and of one person. */
const mostWaiting = 1_000
const mostWaitingOfOne = 200
/** How long sources are waited for that have only just been begun. */
const beginningMs = 10_000

/** Puts code mode together, and begins its threads. */
export async function openCode(needs: CodeNeeds): Promise<MachineCode> {
  const { registry } = await needs.tools()
  await sourcesBegun(registry)
  const { home, sandbox } = needs.config()
  const { workers, limits } = sandbox
  const codeMode = openCodeMode({
    threads: { min: workers.min, max: workers.max, idleMs: workers.idleTimeout },
    mostMemoryBytes: limits.memory,
    mostWaiting,
    mostWaitingOfOne,
    definitions: join(home, 'api'),
    onNote: (note) => needs.log.warn(note),
  })
  return openMachineCode({ ...needs, codeMode })
}

/** After a start sources need a moment to tell what they have; code that is checked meanwhile would find none of their tools. */
function sourcesBegun(registry: Registry): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const look = () => {
    if (registry.health().every(({ status }) => status !== 'connecting')) resolve()
  }
  const end = registry.onChange(look)
  const timer = setTimeout(resolve, beginningMs).unref()
  look()
  return promise.finally(() => {
    end()
    clearTimeout(timer)
  })
}
