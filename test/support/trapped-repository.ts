import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commitFiles, git, makeRepository, tempFolder } from './workspace-files.ts'

/** One way in which a repository has git run a command. */
export interface Trap {
  name: string
  arm(repository: string, command: string): void
  /** What springs it when git is not careful. */
  spring: readonly string[]
}

const set = (repository: string, name: string, value: string) => git(repository, 'config', name, value)
const attribute = (repository: string, line: string) =>
  appendFileSync(join(repository, '.git/info/attributes'), `${line}\n`)

const byHook = (hook: string, spring: string[]): Trap => ({
  name: `hook ${hook}`,
  arm(repository, command) {
    const file = join(repository, '.git/hooks', hook)
    mkdirSync(join(repository, '.git/hooks'), { recursive: true })
    writeFileSync(file, `#!/bin/sh\n${command}\n`)
    chmodSync(file, 0o755)
  },
  spring,
})

const bySetting = (name: string, spring: string[], also: Record<string, string> = {}, line = ''): Trap => ({
  name,
  arm(repository, command) {
    set(repository, name, command)
    for (const [other, value] of Object.entries(also)) set(repository, other, value)
    if (line) attribute(repository, line)
  },
  spring,
})

const status = ['status']
const add = ['add', '--all']
const commit = ['commit', '--quiet', '--all', '--message', 'x']
const diff = ['diff', 'HEAD']
const checkout = ['worktree', 'add', '--quiet', '--detach', '../spring', 'HEAD']

/** All of these can be in one repository at once. */
export const traps: Trap[] = [
  {
    name: 'a repository within it',
    arm(repository, command) {
      const inner = join(repository, 'inner')
      mkdirSync(inner)
      git(inner, 'init', '--quiet', '.')
      commitFiles(inner, { 'file.txt': 'x' })
      git(repository, 'add', 'inner')
      git(repository, 'commit', '--quiet', '--message', 'A repository within')
      set(inner, 'filter.within.clean', command)
      attribute(inner, '* filter=within')
      set(inner, 'core.fsmonitor', command)
      writeFileSync(join(inner, 'file.txt'), 'y')
    },
    spring: status,
  },
  ...['pre-commit', 'commit-msg', 'prepare-commit-msg', 'post-commit'].map((hook) => byHook(hook, commit)),
  byHook('post-index-change', add),
  byHook('reference-transaction', commit),
  byHook('post-checkout', checkout),
  bySetting('core.fsmonitor', status),
  bySetting('filter.washed.clean', add, {}, '*.washed filter=washed'),
  bySetting('filter.smudged.smudge', checkout, {}, '*.smudged filter=smudged'),
  bySetting('filter.processed.process', add, {}, '*.processed filter=processed'),
  bySetting('filter.Odd.Name.clean', add, {}, '*.odd filter=Odd.Name'),
  bySetting('diff.external', diff),
  bySetting('diff.shown.command', diff, {}, '*.shown diff=shown'),
  bySetting('diff.text.textconv', diff, {}, '*.text diff=text'),
  bySetting('merge.joined.driver', ['merge', '--quiet', 'other'], {}, '*.joined merge=joined'),
  {
    name: 'gpg.program',
    arm(repository, command) {
      const file = join(repository, '.git/sign')
      writeFileSync(file, `#!/bin/sh\n${command}\n`, { mode: 0o755 })
      for (const name of ['gpg.program', 'gpg.openpgp.program']) set(repository, name, file)
      set(repository, 'commit.gpgSign', 'true')
      set(repository, 'user.signingKey', 'AAAA')
    },
    spring: commit,
  },
  bySetting('core.editor', ['commit', '--all']),
  {
    name: 'include.path',
    arm(repository, command) {
      const file = join(repository, '.git/more-settings')
      git(repository, 'config', '--file', file, 'filter.included.clean', command)
      set(repository, 'include.path', file)
      attribute(repository, '*.included filter=included')
    },
    spring: add,
  },
  {
    name: 'a setting of one worktree',
    arm(repository, command) {
      set(repository, 'extensions.worktreeConfig', 'true')
      git(repository, 'config', '--worktree', 'filter.alone.clean', command)
      attribute(repository, '*.alone filter=alone')
    },
    spring: add,
  },
]

const endings = ['washed', 'smudged', 'processed', 'odd', 'shown', 'text', 'joined', 'included', 'alone']
const filesWith = (content: string) =>
  Object.fromEntries(endings.map((ending) => [`file.${ending}`, content]))

/** A repository with files of all kinds, changed and not committed, and a branch that changes them too. */
export function makeTrapped() {
  const sprung = tempFolder('sprung')
  const repository = makeRepository({ ...filesWith('line 1\n\n\n\n\nline 6\n'), 'a.txt': 'one\n' })
  git(repository, 'checkout', '--quiet', '-b', 'other')
  commitFiles(repository, filesWith('line 1\n\n\n\n\nline six\n'))
  git(repository, 'checkout', '--quiet', 'main')
  commitFiles(repository, filesWith('line one\n\n\n\n\nline 6\n'))
  mkdirSync(join(repository, '.git/info'), { recursive: true })
  return {
    repository,
    /** Leaves a mark here, or where those inside walls may write. */
    arm: (trap: Trap) => trap.arm(repository, commandFor(sprung, trap.name)),
    change: (root = repository) => {
      for (const [path, content] of Object.entries(filesWith('line one\nmore\n\n\n\nline 6\n')))
        writeFileSync(join(root, path), content)
    },
    sprung: (root?: string) => [
      ...readdirSync(sprung),
      ...(root ? readdirSync(root).filter((name) => name.startsWith('sprung ')) : []),
    ],
    forgetSprung: () => readdirSync(sprung).forEach((name) => rmSync(join(sprung, name))),
  }
}

/** Answers to whatever it is asked as, so that git goes on. */
function commandFor(folder: string, name: string): string {
  const file = join(tempFolder('command'), 'command')
  const marks = `touch '${join(folder, name)}' '/workspace/sprung ${name}' 2>/dev/null`
  writeFileSync(
    file,
    `#!/bin/sh\n${marks}\nif [ -f "$1" ]; then cat "$1"; elif [ $# = 0 ]; then cat; fi\nexit 0\n`,
  )
  chmodSync(file, 0o755)
  // In words that work also where only the workspace is to be seen.
  return `${marks}; ${file}`
}
