/** What every program may know of the machine. Nothing else of ours is passed on unless the agent's list names it. */
const always = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ']

/** Built from nothing, by name: what is not asked for is not there. */
export function environmentFor(ours: NodeJS.ProcessEnv, allowed: readonly string[]): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const name of [...always, ...allowed]) {
    const value = ours[name]
    if (value !== undefined) environment[name] = value
  }
  return environment
}
