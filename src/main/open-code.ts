import { openCodeMode } from '#codemode/open.ts'
import type { MachineCode } from '#worker/code/machine-code.ts'
import { openMachineCode } from '#worker/code/open.ts'
import type { CodeNeeds } from './code-here.ts'

/** Runs that wait for a thread, altogether and of one person. */
const mostWaiting = 1_000
const mostWaitingOfOne = 200

/** Puts code mode together, and begins its threads. */
export async function openCode(needs: CodeNeeds): Promise<MachineCode> {
  // Before anything is begun: what code calls is there.
  await needs.tools()
  const { workers, limits } = needs.config().sandbox
  const codeMode = openCodeMode({
    threads: { min: workers.min, max: workers.max, idleMs: workers.idleTimeout },
    mostMemoryBytes: limits.memory,
    mostWaiting,
    mostWaitingOfOne,
    onNote: (note) => needs.log.warn(note),
  })
  return openMachineCode({ ...needs, codeMode })
}
