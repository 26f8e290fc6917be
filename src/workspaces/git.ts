import { inertLine } from '#lib/inert-text.ts'
import { passwordsIn } from '#lib/address-password.ts'
import { gitOfInside, gitOfOurs } from './git-environment.ts'
import {
  filtersLeftOut,
  hasConditions,
  parseSettings,
  safeSettings,
  settingsInEnvironment,
} from './git-settings.ts'
import { insideCall } from './inside.ts'
import { WorkspaceRefusal } from './port.ts'
import type { Repository } from './repository.ts'
import { refuseLinks } from './repository.ts'
import { runTool } from './run.ts'
import type { ToolCall, ToolResult } from './run.ts'

interface GitOptions {
  input?: string | Buffer | undefined
  timeoutMs?: number
  maxBytes?: number
  /** Works on the index in the scratch folder instead of the repository's own. */
  hasOwnIndex?: boolean
  /** What it may speak to others with; else nothing. */
  protocols?: string
  env?: Readonly<Record<string, string>>
}

/** Names of files are bytes; so they come back as they went. */
export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')
export const textOf = (bytes: Buffer): string => bytes.toString('latin1')
/** As people read it. */
export const shownName = (name: string): string => bytesOf(name).toString('utf8')

/** Git on one repository that an agent may have written: nothing that the repository names is run. */
export interface Git {
  /** Resolves whatever came of it. */
  run(words: readonly string[], options?: GitOptions): Promise<ToolResult>
  /** What it says, without the last newline. Rejects when it fails: `what` is what could not be done, in words. */
  ask(what: string, words: readonly string[], options?: GitOptions): Promise<string>
  /** Filters that the repository names for itself. They are not run. */
  leftOut: string[]
}

export interface GitHands {
  /** Whether what an agent behind walls can write is worked on behind walls. */
  isEnclosed: boolean
  /** A folder of ours for this one piece of work. */
  scratch?: string | undefined
}

export async function openGit(repository: Repository, hands: GitHands): Promise<Git> {
  const { root, gitDir, commonDir, isInside } = repository
  if (isInside && !hands.isEnclosed) refuseLinks(root)

  const call = (
    words: readonly string[],
    options: GitOptions,
    settings: Record<string, string>,
  ): ToolCall => {
    const timeoutMs = options.timeoutMs ?? 120_000
    const chosen = {
      ...settings,
      GIT_ALLOW_PROTOCOL: options.protocols ?? 'none',
      ...(commonDir ? { GIT_COMMON_DIR: commonDir } : {}),
      ...options.env,
    }
    const index = (scratch = '') => (options.hasOwnIndex ? { GIT_INDEX_FILE: `${scratch}/index` } : {})
    if (!isInside)
      return {
        words: ['git', ...words],
        cwd: root,
        env: { ...gitOfOurs(), ...chosen, GIT_DIR: gitDir, GIT_WORK_TREE: root, ...index(hands.scratch) },
        timeoutMs,
      }
    const shown = { root, scratch: hands.scratch }
    return insideCall(shown, {
      words: (at) => [
        'env',
        `GIT_DIR=${at.root}/.git`,
        `GIT_WORK_TREE=${at.root}`,
        ...Object.entries(index(at.scratch)).map((pair) => pair.join('=')),
        'git',
        ...words,
      ],
      env: { ...gitOfInside(), ...chosen },
      mayWrite: true,
      isEnclosed: hands.isEnclosed,
      timeoutMs,
    })
  }

  const run =
    (settings: Record<string, string>) =>
    (words: readonly string[], options: GitOptions = {}) =>
      runTool({
        ...call(words, options, settings),
        input: options.input,
        maxBytes: options.maxBytes ?? 16 * 1024 * 1024,
      })

  const listing = await run(settingsInEnvironment([['safe.directory', '*']]))(
    ['config', '--list', '--show-scope', '--includes', '-z'],
    { maxBytes: 1024 * 1024 },
  )
  if (listing.code !== 0 || listing.isCut) throw gitFailed('read the settings of the repository', listing)
  const found = parseSettings(listing.stdout.toString('utf8'))
  if (hasConditions(found))
    throw new WorkspaceRefusal(
      'git_failed',
      'The settings of this repository include others under a condition (includeIf), so git is not run here. ' +
        'Take that out of its .git/config, or put it into your own settings (git config --global).',
    )
  const safely = run(settingsInEnvironment(safeSettings(found)))
  return {
    run: safely,
    async ask(what, words, options) {
      const result = await safely(words, options)
      if (result.code !== 0) throw gitFailed(what, result)
      return result.stdout.toString('utf8').replace(/\n$/, '')
    },
    leftOut: filtersLeftOut(found),
  }
}

export function gitFailed(
  what: string,
  result: Omit<ToolResult, 'stdout'>,
  secrets: string[] = [],
): WorkspaceRefusal {
  return new WorkspaceRefusal('git_failed', `Git could not ${what}: ${reasonOf(result, secrets)}`)
}

/** The last thing that git complained about, for people. */
export function reasonOf(result: Omit<ToolResult, 'stdout'>, secrets: string[] = []): string {
  if (result.isLate) return 'it took too long, and was ended.'
  if (result.isCut) return 'it said more than anybody would read.'
  if (/spawn git ENOENT/.test(result.stderr)) return 'git is not installed. Install it.'
  const lines = result.stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'))
  const said =
    lines.findLast((line) => /^(?:fatal|error): /.test(line)) ?? lines.at(-1) ?? `exit code ${result.code}`
  const plain = inertLine(said.replace(/^(?:fatal|error): /, '')).slice(0, 400)
  const hidden = [...secrets, ...passwordsIn(plain)].filter((secret) => secret !== '')
  const told = hidden.reduce((text, secret) => text.replaceAll(secret, '***'), plain)
  return told.replace(/(https?:\/\/)[^\s/:@]+@/gi, '$1***@') // a token may stand where a name should
}
