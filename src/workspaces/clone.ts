import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { commitOf, remoteProtocols } from './base.ts'
import { gitOfOurs } from './git-environment.ts'
import type { Git } from './git.ts'
import { gitFailed, openGit } from './git.ts'
import { settingsInEnvironment } from './git-settings.ts'
import { giveToInside } from './ground.ts'
import type { Ground } from './ground.ts'
import { hold } from './held.ts'
import type { Held } from './held.ts'
import { WorkspaceRefusal } from './port.ts'
import { runTool } from './run.ts'

const cloneMs = 3_600_000

/** With the user's own keys and settings, before any agent is near; nothing of what comes is run. */
const whileFetching = settingsInEnvironment([
  ['safe.directory', '*'],
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
])

/** Clones into an empty folder, which is given to those inside, and checks out what was asked for. */
export async function clone(
  ground: Ground,
  source: { git: string; ref?: string | undefined },
  root: string,
): Promise<void> {
  const { ref } = source
  if (ref !== undefined && !/^(?![-/.])[^\s~^:?*[\\\0]+$/.test(ref))
    throw new WorkspaceRefusal(
      'does_not_fit',
      `${JSON.stringify(ref)} cannot be the name of a branch, tag or commit.`,
    )
  const { shown, secrets, isHere } = checkAddress(source.git)
  await using held = isHere ? await holdRepository(shown) : null
  const address = held?.path ?? source.git
  const fetching = async (words: readonly string[]) =>
    runTool({
      words: ['git', ...words],
      cwd: root,
      env: {
        ...gitOfOurs(),
        ...whileFetching,
        GIT_ALLOW_PROTOCOL: remoteProtocols,
      },
      timeoutMs: cloneMs,
      maxBytes: 1024 * 1024,
    })
  const options = '--quiet --no-checkout --no-local --no-hardlinks --template= --no-recurse-submodules'.split(
    ' ',
  )
  const cloned = await fetching(['clone', ...options, '--', address, '.'])
  if (cloned.code !== 0) {
    const stderr = cloned.stderr.replaceAll(address, shown)
    throw gitFailed(`clone ${shown}`, { ...cloned, stderr }, secrets)
  }
  const target = await findRef(ref, fetching)
  if (shown !== address) await fetching(['remote', 'set-url', 'origin', shown])
  await giveToInside(root)

  const isEnclosed = await ground.isEnclosed()
  const isInside = isEnclosed || process.getuid?.() !== 0
  const git = await openGit({ root, gitDir: join(root, '.git'), commonDir: null, isInside }, { isEnclosed })
  await checkOut(git, target)
  if (!isInside) await giveToInside(root)
}

/** Null: what the remote has checked out itself. */
type Target = { branch: string } | { commit: string } | null

async function findRef(
  ref: string | undefined,
  fetching: (words: readonly string[]) => ReturnType<typeof runTool>,
): Promise<Target> {
  if (ref === undefined) return null
  const commit = async (name: string) => {
    const { code, stdout } = await fetching(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
    return code === 0 ? stdout.toString('utf8').trim() : undefined
  }
  if (await commit(`refs/remotes/origin/${ref}`)) return { branch: ref }
  const found = (await commit(`refs/tags/${ref}`)) ?? (await commit(ref))
  if (found) return { commit: found }
  const fetched = await fetching(['fetch', '--quiet', '--no-tags', '--', 'origin', ref])
  const late = fetched.code === 0 ? await commit('FETCH_HEAD') : undefined
  if (late) return { commit: late }
  throw new WorkspaceRefusal('git_failed', `The repository has no branch, tag or commit ${ref}.`)
}

async function checkOut(git: Git, target: Target): Promise<void> {
  const words = target && ('branch' in target ? branchWords(target.branch) : ['--detach', target.commit])
  const what = 'check out the files'
  if (words) await git.ask(what, ['checkout', '--quiet', ...words, '--'], { timeoutMs: cloneMs })
  else if (await commitOf(git, 'HEAD'))
    await git.ask(what, ['reset', '--quiet', '--hard'], { timeoutMs: cloneMs })
}

const branchWords = (branch: string) => ['--track', '-B', branch, `refs/remotes/origin/${branch}`]

interface Address {
  /** As it is told, and kept: without a password. */
  shown: string
  secrets: string[]
  /** Whether it is a folder of this machine. */
  isHere: boolean
}

/** Refuses what is not an address of a repository. */
function checkAddress(address: string): Address {
  if (address.startsWith('/')) return { shown: address, secrets: [], isHere: true }
  const isShort = /^[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!:)[^\0]+$/.test(address)
  if (isShort) return { shown: address, secrets: [], isHere: false }
  const url = /^(?:https?|ssh|git|file):\/\//.test(address) ? URL.parse(address) : null
  if (!url || url.hostname.startsWith('-'))
    throw new WorkspaceRefusal(
      'does_not_fit',
      'The address of a repository must be an https, ssh or file address, or a path.',
    )
  if (url.protocol === 'file:') return checkAddress(decodeURIComponent(url.pathname))
  if (!/^https?:$/.test(url.protocol) || (url.username === '' && url.password === ''))
    return { shown: address, secrets: [url.password], isHere: false }
  const secrets = [url.password || url.username, decodeURIComponent(url.password || url.username)]
  url.username = url.password = ''
  return { shown: url.href, secrets, isHere: false }
}

/** The git folder itself, so that nobody can put another in its place while git reads it. */
async function holdRepository(path: string): Promise<Held> {
  const git = lstatSync(join(path, '.git'), { throwIfNoEntry: false })
  const held = await hold(git ? join(path, '.git') : path).catch((error: unknown) => {
    if (error instanceof WorkspaceRefusal) throw error
  })
  const has = (name: string) => held && lstatSync(join(held.path, name), { throwIfNoEntry: false })
  // Git would take what a link or a `commondir` names for the repository's own.
  if (held && has('HEAD') && has('objects')?.isDirectory() && has('refs')?.isDirectory() && !has('commondir'))
    return held
  await held?.handle.close()
  throw new WorkspaceRefusal(
    'not_a_repository',
    `${path} is not a git repository${git ? ': its git folder lies somewhere else' : ''}.`,
  )
}
