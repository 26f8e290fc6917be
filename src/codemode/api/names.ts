/** Letters that every engine and every checker takes for one: newer ones depend on which Unicode they know. */
const letters =
  'A-Za-z_$\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f\\u0400-\\u0481\\u3041-\\u3096\\u30a1-\\u30fa\\u4e00-\\u9fa5\\uac00-\\ud7a3'
const identifier = new RegExp(`^[${letters}][${letters}0-9]*$`)
const betweenWords = new RegExp(`[^${letters}0-9]+|_+(?=.)`, 'gs')

/** What has one of these is taken for something else than a tool. */
const taken = new Set(['then', 'constructor', 'toJSON', '__proto__'])

/** As parameters they are not understood. */
const reserved = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield'.split(
    ' ',
  ),
)

/** A name that code can write after a dot. What is one already stays as it is. */
export function memberName(name: string): string {
  const plain = identifier.test(name) ? name : camelCase(name)
  return taken.has(plain) ? `${plain}_` : plain
}

/** `createIssue`, for `create_issue`, `create-issue` and `create issue`. */
export function camelCase(name: string): string {
  const joined = name
    .replaceAll(betweenWords, '\0')
    .replaceAll(/(?<=.)\0(.)/gs, (_, next: string) => next.toUpperCase())
    .replaceAll('\0', '')
  if (joined === '') return '_'
  return identifier.test(joined) ? joined : `_${joined}`
}

/** One name for each, whatever their order: whoever is written as its own name keeps it. */
export function distinctNames(names: readonly string[], named = memberName): Map<string, string> {
  const members = new Map<string, string>()
  const sorted = [...new Set(names)].toSorted()
  const own = sorted.filter((name) => named(name) === name)
  for (const name of own) members.set(name, name)
  for (const name of sorted.filter((one) => named(one) !== one)) {
    const wanted = named(name)
    let member = wanted
    for (let count = 2; members.has(member); count += 1) member = `${wanted}_${count}`
    members.set(member, name)
  }
  return members
}

/** Of an interface: `GithubTools` for `github`. */
export const interfaceName = (member: string): string =>
  `${member.charAt(0).toUpperCase()}${member.slice(1)}Tools`

/** Of parameters, in their order. */
export function parameterNames(names: readonly string[]): string[] {
  const used = new Set<string>()
  return names.map((name) => {
    const wanted = identifier.test(name) ? name : camelCase(name)
    let parameter = reserved.has(wanted) ? `${wanted}_` : wanted
    for (let count = 2; used.has(parameter); count += 1) parameter = `${wanted}_${count}`
    used.add(parameter)
    return parameter
  })
}

/** Of a property: quoted where it has to be. */
export const propertyKey = (name: string): string =>
  identifier.test(name)
    ? name
    : JSON.stringify(name)
        .replaceAll('\u2028', String.raw`\u2028`)
        .replaceAll('\u2029', String.raw`\u2029`)
