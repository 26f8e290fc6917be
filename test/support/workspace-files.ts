import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterEach } from 'vitest'
import { openWorkspaces } from '#workspaces/open.ts'
import type { WorkspacesOptions } from '#workspaces/open.ts'

const made: string[] = []

afterEach(() => {
  for (const folder of made.splice(0)) {
    spawnSync('chmod', ['-R', 'u+rwX', folder]) // a test may have shut what is below
    rmSync(folder, { recursive: true, force: true })
  }
})

/** A folder that is gone after the test. */
export function tempFolder(name = 'files'): string {
  const folder = mkdtempSync(join(tmpdir(), `signalbox-${name}-`))
  made.push(folder)
  return folder
}

export const quietLog = pino({ level: 'silent' })

/** The files of workspaces in a home of their own. */
export function openFiles(options: Partial<WorkspacesOptions> = {}) {
  const home = options.home ?? tempFolder('home')
  return { home, workspaces: openWorkspaces({ drivers: {}, log: quietLog, ...options, home }) }
}

const someone = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
}

/** The user's own git, as it is. */
export const git = (folder: string, ...words: string[]): string =>
  execFileSync('git', words, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...someone },
    stdio: 'pipe',
  }).trim()

/** A repository on `main` with these files in one commit. */
export function makeRepository(files: Record<string, string> = { 'a.txt': 'one\n' }): string {
  const repository = tempFolder('repository')
  git(repository, 'init', '--quiet', '--initial-branch=main', '.')
  commitFiles(repository, files)
  return repository
}

export function commitFiles(repository: string, files: Record<string, string>): string {
  for (const [path, content] of Object.entries(files)) writeFileSync(join(repository, path), content)
  git(repository, 'add', '--all')
  git(repository, 'commit', '--quiet', '--message', 'Some work')
  return git(repository, 'rev-parse', 'HEAD')
}

/** What a promise was refused with. */
interface Refused {
  code: string
  message: string
  context: unknown
}

export async function refusalOf(promise: Promise<unknown>): Promise<Refused> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      return {
        code: String(error.code),
        message: error.message,
        context: 'context' in error ? error.context : undefined,
      }
    throw error
  }
  throw new Error('It was not refused')
}
