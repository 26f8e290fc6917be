import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownEngine } from '../../test/support/docker.ts'
import type { TestEngine } from '../../test/support/docker.ts'
import { stopEngine } from '../../test/support/engine.ts'

/** With an engine of its own, as the tests start one. */
export async function withEngine<Result>(work: (engine: TestEngine) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'))
  try {
    return await work(await ownEngine(folder))
  } finally {
    await stopEngine(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}
