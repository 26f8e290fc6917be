import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { endEngineAtOnce, stopEngine } from './engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    engineFolder: string
  }
}

/** A place for one Docker engine that all test files share. It is started by the first that needs it, and ended here. */
export default function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'))
  // Vitest does not tear down when it is interrupted: it only exits.
  const endAtOnce = () => endEngineAtOnce(folder)
  process.once('exit', endAtOnce)
  project.provide('engineFolder', folder)
  return async () => {
    process.off('exit', endAtOnce)
    await stopEngine(folder)
  }
}
