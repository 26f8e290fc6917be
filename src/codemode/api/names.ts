/** A name that code can write after a dot. What is one already stays as it is; `then` would make a promise of what has it. */
export function memberName(name: string): string {
  const plain = /^[A-Za-z_$][\w$]*$/.test(name) ? name : camelCase(name)
  return plain === 'then' || plain === 'constructor' ? `${plain}_` : plain
}

function camelCase(name: string): string {
  const joined = name
    .replaceAll(/[^A-Za-z0-9$_]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '')
    .replace(/^\d/, '_$&')
  return joined === '' ? '_' : joined
}

/** One name for each, the first come keeps its own. */
export function distinctNames(names: readonly string[]): Map<string, string> {
  const taken = new Map<string, string>()
  for (const name of names) {
    const wanted = memberName(name)
    let member = wanted
    for (let count = 2; taken.has(member); count += 1) member = `${wanted}_${count}`
    taken.set(member, name)
  }
  return taken
}

/** Of an interface: `GithubTools` for `github`. */
export const interfaceName = (member: string): string =>
  `${member.charAt(0).toUpperCase()}${member.slice(1).replaceAll('$', '_')}Tools`
