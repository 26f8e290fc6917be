import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { testImages } from './docker-images.ts'
import { socketIn } from './engine.ts'

const run = promisify(execFile)
const script = join(import.meta.dirname, 'prepare-engine.ts')

/** An engine with two images, for tests. */
export interface TestEngine {
  /** For DOCKER_HOST. */
  address: string
  /** With Node, git and what a shell needs. */
  image: string
  withoutNode: string
}

/** Why there is no engine to test with; undefined when there is one to be had. */
export const noEngine: string | undefined = findReason()

function findReason(): string | undefined {
  if (process.platform !== 'linux') return 'containers are tested on Linux'
  if (process.getuid?.() !== 0) return 'an engine of our own needs root'
  const folders = (process.env['PATH'] ?? '').split(':')
  const missing = ['dockerd', 'flock'].filter((name) => !folders.some((folder) => canRun(join(folder, name))))
  return missing.length > 0 ? `not installed: ${missing.join(', ')} (apt install docker.io)` : undefined
}

function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The one that all test files share. The first to ask waits until it is up and has its images, some seconds. */
export async function testEngine(): Promise<TestEngine> {
  const folder = inject('engineFolder')
  await run('flock', [join(folder, 'lock'), process.execPath, script, folder])
  return engineIn(folder)
}

/** One that a test has for itself, to do with it what it likes. It ends it with `stopEngine`. */
export async function ownEngine(folder: string): Promise<TestEngine> {
  await run(process.execPath, [script, folder])
  return engineIn(folder)
}

const engineIn = (folder: string): TestEngine => ({ address: `unix://${socketIn(folder)}`, ...testImages })
