/** A setting of git, by its name, and where git found it. */
export interface GitSetting {
  scope: string
  name: string
  value: string
}

/** Of these the user, and nobody else, has said them. */
const trusted = new Set(['global', 'system'])

/** `git config --list --show-scope -z`. */
export function parseSettings(listed: string): GitSetting[] {
  const words = listed.split('\0')
  const settings: GitSetting[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope = '', entry = ''] = words.slice(at, at + 2)
    const end = entry.indexOf('\n')
    settings.push({
      scope,
      name: end < 0 ? entry : entry.slice(0, end),
      value: end < 0 ? '' : entry.slice(end + 1),
    })
  }
  return settings
}

const always: [name: string, value: string][] = [
  ['safe.directory', '*'],
  ['core.bare', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.alternateRefsCommand', 'true'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['sequence.editor', 'false'],
  ['core.askPass', 'false'],
  ...[
    'gpg.program',
    'gpg.openpgp.program',
    'gpg.x509.program',
    'gpg.ssh.program',
    'gpg.ssh.defaultKeyCommand',
  ].map((name): [string, string] => [name, 'false']),
  ...['commit.gpgSign', 'tag.gpgSign', 'log.showSignature', 'merge.verifySignatures', 'commit.verbose'].map(
    (name): [string, string] => [name, 'false'],
  ),
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['rerere.enabled', 'false'],
  ['color.ui', 'false'],
  ['diff.noprefix', 'false'],
  ['diff.mnemonicPrefix', 'false'],
  ['status.showUntrackedFiles', 'all'],
]

/** What git itself does where no driver is named. */
const plainMerge = 'git merge-file -q --marker-size=%L %A %O %B'

/**
 * The settings that make git run nothing of what the repository names: they win over its own. What the user has set for all
 * their repositories stays, since only the repository is in doubt.
 */
export function safeSettings(found: readonly GitSetting[]): [name: string, value: string][] {
  const users = found.filter(({ scope }) => trusted.has(scope))
  const ofUser = (name: string) => users.findLast((setting) => setting.name === name)?.value
  const overruled = found
    .filter(({ scope }) => !trusted.has(scope))
    .flatMap(({ name }): [string, string][] => {
      const [, driver, key] = /^filter\.(.*)\.([^.]+)$/s.exec(name) ?? []
      if (driver !== undefined && key !== undefined)
        // All four, because a filter of the repository must not complete one of the user's.
        return ['clean', 'smudge', 'process', 'required'].map((one) => [
          `filter.${driver}.${one}`,
          ofUser(`filter.${driver}.${one}`) ?? (one === 'required' ? 'false' : ''),
        ])
      if (/^merge\..*\.driver$/s.test(name)) return [[name, ofUser(name) ?? plainMerge]]
      if (/^hook\..*\.command$/s.test(name)) return [[name, 'true']]
      if (/^lfs\..*\.(?:path|clean|smudge)$/s.test(name)) return [[name, ofUser(name) ?? 'false']]
      return []
    })
  const helpers = users.filter(({ name }) => /^credential\.(?:.*\.)?helper$/s.test(name))
  return [
    ...always,
    ['core.sshCommand', ofUser('core.sshcommand') ?? 'ssh'],
    ['credential.helper', ''], // an empty one forgets those before it
    ...helpers.map(({ name, value }): [string, string] => [name, value]),
    ...overruled,
  ]
}

/** Whether it includes settings that count only somewhere, so that nobody can tell here what they would be there. */
export const hasConditions = (found: readonly GitSetting[]): boolean =>
  found.some(({ scope, name }) => !trusted.has(scope) && name.startsWith('includeif.'))

/** The filters that the repository names and that are not run. */
export function filtersLeftOut(found: readonly GitSetting[]): string[] {
  const users = new Set(found.filter(({ scope }) => trusted.has(scope)).map(({ name }) => name))
  const left = found.flatMap(({ scope, name }) => {
    const [, driver, key = ''] = /^filter\.(.*)\.([^.]+)$/s.exec(name) ?? []
    const runs = ['clean', 'smudge', 'process'].includes(key)
    return driver !== undefined && runs && !trusted.has(scope) && !users.has(name) ? [driver] : []
  })
  return [...new Set(left)]
}

/** As git takes them from its environment. */
export function settingsInEnvironment(
  settings: readonly (readonly [string, string])[],
): Record<string, string> {
  const pairs = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) }
}
