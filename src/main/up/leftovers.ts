import type { Logger } from 'pino'
import type { RecordedChild } from '#contract/up.ts'
import { endProcess, isGoneWithin } from '#lib/process-end.ts'

/** Children end by themselves when their supervisor is killed; one that is frozen or stuck does not, and holds its port. */
export async function endLeftovers(children: readonly RecordedChild[], log: Logger): Promise<void> {
  await Promise.all(
    children.map(async (child) => {
      if (await isGoneWithin(child, 500)) return
      log.warn({ child: child.name, pid: child.pid }, `ending ${child.name} of a supervisor that was killed`)
      await endProcess(child, [{ signal: 'SIGKILL', patienceMs: 2_000 }], { group: true })
    }),
  )
}
