import { comment, typeOf } from './type-of.ts'
import { distinctNames, interfaceName } from './names.ts'

/** What is needed of a tool to write its declaration. */
export interface ApiTool {
  /** `namespace.tool`. */
  name: string
  description: string
  inputSchema: Record<string, unknown>
  outputSchema?: Record<string, unknown>
  /** Of results that were seen, where nothing was declared. */
  observed?: string
  deprecated: boolean
}

export interface GeneratedApi {
  /** A declaration for each namespace, by its member name in `mcp`. */
  namespaces: ReadonlyMap<string, GeneratedNamespace>
  /** All of it, with what else code finds inside. */
  text: string
  /** The tool that code means by `mcp.<namespace>.<tool>`. */
  toolOf(path: string): string | undefined
}

export interface GeneratedNamespace {
  namespace: string
  text: string
  /** By member name: the tool's own name, and its declaration. */
  tools: ReadonlyMap<string, { name: string; text: string }>
}

/** Writes the API as code sees it: one interface for each namespace, in the order of their names. */
export function generateApi(tools: readonly ApiTool[]): GeneratedApi {
  const grouped = Map.groupBy(tools, ({ name }) => name.slice(0, name.indexOf('.')))
  const names = distinctNames([...grouped.keys()].toSorted())
  const paths = new Map<string, string>()
  const namespaces = new Map<string, GeneratedNamespace>()
  for (const [member, namespace] of names) {
    const own = grouped.get(namespace)!
    const members = distinctNames(own.map(({ name }) => name.slice(namespace.length + 1)))
    const declared = new Map<string, { name: string; text: string }>()
    for (const [toolMember, short] of members) {
      const tool = own.find(({ name }) => name === `${namespace}.${short}`)!
      declared.set(toolMember, { name: tool.name, text: declarationOf(toolMember, tool) })
      paths.set(`${member}.${toolMember}`, tool.name)
    }
    const body = [...declared.values()].map(({ text }) => text).join('\n')
    namespaces.set(member, {
      namespace,
      tools: declared,
      text: `interface ${interfaceName(member)} {\n${body}\n}`,
    })
  }
  // Whoever writes the name as the source has it is understood as well.
  for (const { name } of tools) if (!paths.has(name)) paths.set(name, name)
  const text = [
    ...[...namespaces.values()].map((one) => one.text),
    rootOf([...namespaces.keys()]),
    surroundings,
  ].join('\n')
  return { namespaces, text, toolOf: (path) => paths.get(path) }
}

function declarationOf(member: string, tool: ApiTool): string {
  const { description, inputSchema, outputSchema, observed, deprecated } = tool
  const docs = [...(description ? [comment(description, 400)] : []), ...(deprecated ? ['@deprecated'] : [])]
  const result = `Promise<${outputSchema ? typeOf(outputSchema, false) : (observed ?? 'any')}>`
  const properties = isRecord(inputSchema['properties']) ? Object.entries(inputSchema['properties']) : []
  const needed = new Set(Array.isArray(inputSchema['required']) ? inputSchema['required'] : [])
  const isOptional = needed.size === 0
  const given = properties.length === 0 ? '' : `args${isOptional ? '?' : ''}: ${typeOf(inputSchema)}`
  const lines = [`${member}(${given}): ${result}`]
  const positional = positionalOf(properties, needed)
  if (positional) lines.push(`${member}(${positional}): ${result}`)
  return `${docs.length > 0 ? `  /** ${docs.join(' ')} */\n` : ''}${lines.map((line) => `  ${line}`).join('\n')}`
}

/** The same one after the other, in the order of the schema, where that can be told apart from the object. */
function positionalOf(properties: [string, unknown][], needed: ReadonlySet<unknown>): string | undefined {
  if (properties.length === 0 || properties.length > 6) return undefined
  const first = properties[0]![1]
  if (
    !needed.has(properties[0]![0]) ||
    !['string', 'number', 'integer', 'boolean'].includes(String(isRecord(first) && first['type']))
  )
    return undefined
  const lastNeeded = properties.findLastIndex(([name]) => needed.has(name))
  return properties
    .map(
      ([name, schema], index) =>
        `${name.replaceAll(/\W/g, '_')}${index > lastNeeded ? '?' : ''}: ${typeOf(schema, false)}`,
    )
    .join(', ')
}

const rootOf = (members: readonly string[]): string =>
  `declare const mcp: { ${members.map((member) => `${member}: ${interfaceName(member)}`).join('; ')} }`

/** What else there is inside, whatever was registered. */
const surroundings = `/** What was given with the code. */
declare const context: any
declare const console: { log(...given: unknown[]): void; info(...given: unknown[]): void; warn(...given: unknown[]): void; error(...given: unknown[]): void; debug(...given: unknown[]): void }
/** Only where the capability \`network\` allows the host. */
declare function fetch(url: string, options?: { method?: string; headers?: Record<string, string>; body?: string }): Promise<{ status: number; statusText: string; ok: boolean; url: string; headers: { get(name: string): string | null; has(name: string): boolean; entries(): Iterable<[string, string]> }; text(): Promise<string>; json(): Promise<any> }>
/** Only where the capability \`fs\` allows the path. */
declare const fs: { readFile(path: string): Promise<string>; writeFile(path: string, content: string): Promise<void>; readdir(path: string): Promise<{ name: string; type: string }[]> }
declare function setTimeout(work: (...given: any[]) => void, ms?: number, ...given: unknown[]): number
declare function clearTimeout(id: number): void
declare function atob(text: string): string
declare function btoa(text: string): string`

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
