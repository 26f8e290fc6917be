import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main']

export const git = (root: string, ...words: string[]): string =>
  execFileSync('git', [...identity, '-C', root, ...words], { encoding: 'utf8', stdio: 'pipe' }).trim()

/** A repository with these files in its first commit. */
export function makeRepository(root: string, files: Record<string, string>): string {
  mkdirSync(root, { recursive: true })
  git(root, 'init', '--quiet')
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message', 'Begin')
  return root
}
