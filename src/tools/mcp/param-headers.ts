import { isObject } from './tool-list.ts'

// Since 2026-07-28 a tool can ask for an argument to be repeated in a header (`x-mcp-header`). The SDK sends them; here is said which
// tools have any, and which ask for what must not be.

const key = 'x-mcp-header'
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const simple = new Set(['string', 'integer', 'boolean'])

const known = new WeakMap<object, boolean>()

/** Whether something in it is to be sent as a header. Looked for once: it is asked at every call. */
export function asksForHeaders(schema: object): boolean {
  const found = known.get(schema) ?? JSON.stringify(schema).includes(`"${key}"`)
  known.set(schema, found)
  return found
}

/** Why this schema cannot be served over HTTP, if it cannot. */
export function headerFault(schema: unknown): string | undefined {
  const names = new Set<string>()
  const visit = (node: unknown, isProperty: boolean, isReachable: boolean): string | undefined => {
    if (Array.isArray(node)) return firstOf(node, (one) => visit(one, false, false))
    if (!isObject(node)) return undefined
    if (key in node) {
      if (!isProperty || !isReachable) return 'a header is asked for where no argument is'
      const name = node[key]
      if (typeof name !== 'string' || !token.test(name)) return 'a header has a name that no header has'
      if (!simple.has(String(node['type']))) return `the argument for the header ${name} is no simple value`
      if (names.has(name.toLowerCase())) return `two arguments ask for the header ${name}`
      names.add(name.toLowerCase())
    }
    return firstOf(Object.entries(node), ([word, inside]) =>
      word === 'properties' && isObject(inside)
        ? firstOf(Object.values(inside), (one) => visit(one, true, isReachable))
        : ['default', 'const', 'enum', 'examples'].includes(word)
          ? undefined
          : visit(inside, false, false),
    )
  }
  return visit(schema, false, true)
}

function firstOf<T>(all: readonly T[], look: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = look(one)
    if (found !== undefined) return found
  }
  return undefined
}
