import { createHash } from 'node:crypto'
import type { Tool } from '#contract/tool.ts'
import { CodeFailed } from '../port.ts'
import type { CodeApi } from '../port.ts'
import { generateApi } from './generate.ts'
import { Observed } from './observed.ts'

const mostKept = 50
const mostObserved = 2_000

/** Writes APIs, and remembers them by what they are made of. */
export class ApiWriter {
  readonly #kept = new Map<string, CodeApi>()
  readonly #hashes = new WeakMap<Tool, string>()
  readonly #observed = new Map<string, Observed>()

  api(tools: readonly Tool[]): CodeApi {
    const hash = createHash('sha256')
    for (const tool of tools)
      hash
        .update(this.#hashOf(tool))
        .update(this.#observedOf(tool) ?? '')
        .update('\0')
    const key = hash.digest('base64url')
    const known = this.#kept.get(key)
    if (known) return known
    const made = this.#write(key, tools)
    this.#kept.set(key, made)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break
      this.#kept.delete(oldest)
    }
    return made
  }

  observe(tool: string, result: unknown): void {
    const seen = this.#observed.get(tool) ?? new Observed()
    seen.see(result)
    if (this.#observed.size < mostObserved) this.#observed.set(tool, seen)
  }

  #observedOf = ({ name, outputSchema }: Tool): string | undefined =>
    outputSchema ? undefined : this.#observed.get(name)?.type

  #hashOf(tool: Tool): string {
    const known = this.#hashes.get(tool)
    if (known) return known
    const { name, description, inputSchema, outputSchema, deprecated } = tool
    const made = createHash('sha256')
      .update(JSON.stringify([name, description, inputSchema, outputSchema, deprecated]))
      .digest('base64url')
    this.#hashes.set(tool, made)
    return made
  }

  #write(hash: string, tools: readonly Tool[]): CodeApi {
    const generated = generateApi(
      tools.map((tool) => {
        const { name, description, inputSchema, outputSchema, deprecated } = tool
        const observed = this.#observedOf(tool)
        return {
          name,
          description,
          inputSchema,
          deprecated,
          ...(outputSchema ? { outputSchema } : {}),
          ...(observed ? { observed } : {}),
        }
      }),
    )
    const paths = new Map<string, string>()
    const texts = new Map<string, string>()
    for (const [member, namespace] of generated.namespaces)
      for (const [name, tool] of namespace.tools) {
        paths.set(tool.name, `mcp.${member}.${name}`)
        texts.set(tool.name, tool.text)
      }
    const namespaces = new Map([...generated.namespaces.values()].map((one) => [one.namespace, one.text]))
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    return {
      hash,
      text: generated.text,
      namespaceText: (namespace) => namespaces.get(namespace),
      toolText: (tool) => texts.get(tool),
      pathOf: (tool) => paths.get(tool),
      toolOf: (path) => generated.toolOf(path),
      argsOf: (tool, given) => argsOf(byName.get(tool)?.inputSchema ?? {}, tool, given),
    }
  }
}

function argsOf(schema: Record<string, unknown>, tool: string, given: readonly unknown[]) {
  const [first] = given
  if (given.length === 0) return {}
  if (given.length === 1 && isRecord(first)) return first
  const properties = isRecord(schema['properties']) ? Object.keys(schema['properties']) : []
  if (given.length > properties.length)
    throw new CodeFailed(
      'validation',
      'TYPE_ERROR',
      `${tool} takes one object, or at most ${properties.length} values: ${properties.join(', ')}`,
      { tool },
    )
  return Object.fromEntries(given.map((value, index) => [properties[index]!, value]))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
