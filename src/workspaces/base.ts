import type { Git } from './git.ts'
import { reasonOf } from './git.ts'
import { WorkspaceRefusal } from './port.ts'

export interface Base {
  commit: string
  /** The branch that it is the tip of, here or at the remote. */
  branch: string | null
  remarks: string[]
}

export const remoteProtocols = 'https:http:ssh:git:file'

const fetchMs = 20_000

/** What new work begins from: the default branch of the remote, as it is now, else what is checked out. */
export async function chooseBase(git: Git): Promise<Base> {
  const branch = await defaultBranch(git)
  if (branch === undefined) {
    const commit = await git.ask('find the last commit', ['rev-parse', '--verify', 'HEAD^{commit}'])
    return { commit, branch: await currentBranch(git), remarks: [] }
  }
  const remote = `refs/remotes/origin/${branch}`
  // Only this one branch, and by our own words: what the repository says of its remote may name a command.
  const fetched = await git.run(
    [
      'fetch',
      '--upload-pack=git-upload-pack',
      ...'--quiet --no-tags --no-prune --refmap= --no-recurse-submodules --no-auto-gc --no-write-fetch-head'.split(
        ' ',
      ),
      '--end-of-options',
      'origin',
      `+refs/heads/${branch}:${remote}`,
    ],
    { protocols: remoteProtocols, timeoutMs: fetchMs },
  )
  const remarks =
    fetched.code === 0
      ? []
      : [`The base could not be fetched, so it is as old as the last fetch: ${reasonOf(fetched)}`]
  const theirs = await git.ask('find the base', ['rev-parse', '--verify', `${remote}^{commit}`])
  const ours = await commitOf(git, `refs/heads/${branch}`)
  const isAhead = ours && (await git.run(['merge-base', '--is-ancestor', theirs, ours])).code === 0
  return { commit: isAhead ? ours : theirs, branch, remarks }
}

/** A branch of the repository, or a commit. What comes of it goes where other work goes too. */
export async function namedBase(git: Git, name: string): Promise<Base> {
  const commit = await commitOf(git, /^[0-9a-f]{40,64}$/.test(name) ? name : `refs/heads/${name}`)
  if (commit === undefined)
    throw new WorkspaceRefusal('git_failed', `There is no branch ${name} to begin from: it was removed.`)
  return { commit, branch: (await defaultBranch(git)) ?? (await currentBranch(git)), remarks: [] }
}

async function defaultBranch(git: Git): Promise<string | undefined> {
  if ((await git.run(['config', '--get', 'remote.origin.url'])).code !== 0) return undefined
  const head = await git.run(['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'])
  const named = /^refs\/remotes\/origin\/(\S+)$/.exec(head.stdout.toString('utf8').trim())?.[1]
  for (const branch of [...(named ? [named] : []), 'main', 'master'])
    if (await commitOf(git, `refs/remotes/origin/${branch}`)) return branch
  return undefined
}

export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  const { code, stdout } = await git.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
  return code === 0 ? stdout.toString('utf8').trim() : undefined
}

/** Null when no branch is checked out. */
export async function currentBranch(git: Git): Promise<string | null> {
  const { code, stdout } = await git.run(['symbolic-ref', '--quiet', 'HEAD'])
  const name = stdout.toString('utf8').trim()
  return code === 0 && name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null
}
