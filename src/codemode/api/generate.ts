import { declarationOf } from './declaration.ts'
import type { Definition } from './definitions.ts'
import { camelCase, distinctNames, interfaceName } from './names.ts'
import type { Schema } from './schema.ts'
import { surroundings } from './surroundings.ts'

/** What is needed of a tool to write its declaration. */
export interface ApiTool {
  /** `namespace.tool`. */
  name: string
  description: string
  inputSchema: Schema
  outputSchema?: Schema
  /** Of results that were seen, where nothing was declared. */
  observed?: string
  deprecated: boolean
}

export interface GeneratedApi {
  /** By their member names in `mcp`. */
  namespaces: ReadonlyMap<string, GeneratedNamespace>
  /** All of it, with what else code finds inside: valid by itself. */
  text: string
  /** The tool that code means by `namespace.tool`. */
  toolOf(path: string): string | undefined
}

export interface GeneratedNamespace {
  namespace: string
  text: string
  /** By member name: the tool's own name, and its declaration. */
  tools: ReadonlyMap<string, { name: string; text: string }>
}

/** Writes the API as code sees it: one interface for each namespace, in the order of their names. */
export function generateApi(
  tools: readonly ApiTool[],
  definitions: ReadonlyMap<string, Definition> = new Map(),
): GeneratedApi {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const grouped = Map.groupBy(byName.values(), ({ name }) => namespaceOf(name))
  const members = distinctNames([...grouped.keys()])
  const interfaces = new Map(
    [...distinctNames([...members.keys()], interfaceName)].map(([name, of]) => [of, name]),
  )
  const namespaces = new Map<string, GeneratedNamespace>()
  for (const member of [...members.keys()].toSorted()) {
    const namespace = members.get(member)!
    const own = written(interfaces.get(member)!, grouped.get(namespace)!, definitions.get(namespace))
    namespaces.set(member, { namespace, ...own })
  }
  const root = [...namespaces.keys()].map((member) => `${member}: ${interfaces.get(member)!}`).join('; ')
  const text = [
    ...[...namespaces.values()].map((one) => one.text),
    `declare const mcp: { ${root} }`,
    surroundings,
  ].join('\n')
  const paths = pathsOf(namespaces)
  return { namespaces, text, toolOf: (path) => paths.get(path) }
}

function written(
  name: string,
  tools: readonly ApiTool[],
  definition: Definition | undefined,
): Omit<GeneratedNamespace, 'namespace'> {
  const byShort = new Map(tools.map((tool) => [shortOf(tool.name), tool]))
  const declared = new Map<string, { name: string; text: string }>()
  for (const [member, short] of distinctNames([...byShort.keys()])) {
    const tool = byShort.get(short)!
    const text = definition?.members.get(member) ?? declarationOf(member, tool)
    declared.set(member, { name: tool.name, text })
  }
  const generated = [...declared].filter(([member]) => !definition?.members.has(member))
  const body = generated.map(([, { text }]) => `${text.replaceAll(/^/gm, '  ')}\n`).join('')
  const text = `interface ${name} {\n${body}}`
  return { tools: declared, text: definition ? `${definition.textFor(name)}\n${text}` : text }
}

/** Also as the source has the name, and as it would be in JavaScript, where nobody else is called that. */
function pathsOf(namespaces: ReadonlyMap<string, GeneratedNamespace>): Map<string, string> {
  const paths = new Map<string, string>()
  const all = [...namespaces].flatMap(([member, { namespace, tools }]) =>
    [...tools].map(([toolMember, { name }]) => ({ member, namespace, toolMember, name })),
  )
  const add = (path: string, name: string) => {
    if (!paths.has(path)) paths.set(path, name)
  }
  for (const { member, toolMember, name } of all) add(`${member}.${toolMember}`, name)
  for (const { name } of all) add(name, name)
  const inJavaScript = Map.groupBy(all, ({ member, name }) => `${member}.${camelCase(shortOf(name))}`)
  for (const [path, tools] of inJavaScript) if (tools.length === 1) add(path, tools[0]!.name)
  return paths
}

const namespaceOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf('.')))
const shortOf = (name: string): string => name.slice(name.indexOf('.') + 1)
