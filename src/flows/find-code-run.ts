import type { Principal } from '#contract/access.ts'
import { readCodeRun } from '#db/code-reads.ts'
import type { CodeRunRead } from '#db/code-reads.ts'
import type { Database } from '#db/pool.ts'
import { isTheirRun } from '#domain/code-run.ts'
import { Problem } from '#domain/problem.ts'

/** A run that waits or has waited. What is not theirs does not exist for them. */
export async function theCodeRun(db: Database, by: Principal, id: string): Promise<CodeRunRead> {
  const run = await readCodeRun(db, id)
  if (run && isTheirRun(by, run)) return run
  throw new Problem(
    'code_run_not_found',
    `No run ${id}. Only runs that wait for a person, or have waited for one, can be asked for again`,
  )
}
