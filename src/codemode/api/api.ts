import { createHash } from 'node:crypto'
import type { Tool } from '#contract/tool.ts'
import type { CodeApi } from '../port.ts'
import { argsOf } from './args-of.ts'
import type { Definition } from './definitions.ts'
import { generateApi } from './generate.ts'
import type { ApiTool, GeneratedApi } from './generate.ts'
import { Observed } from './observed.ts'

/** With what is needed to say what may have been meant. */
export interface WrittenApi extends CodeApi {
  /** What `mcp` has, and what each of these has. */
  members: ReadonlyMap<string, readonly string[]>
  declarationOf(namespace: string, tool: string): string | undefined
}

const mostKept = 50
const mostLatest = 8
const mostObserved = 2_000

/** Writes APIs, and remembers them by what they are made of. */
export class ApiWriter {
  readonly #kept = new Map<string, WrittenApi>()
  readonly #hashes = new WeakMap<Tool, string>()
  readonly #observed = new Map<string, Observed>()
  #definitions: ReadonlyMap<string, Definition> = new Map()
  #round = 0
  /** Of the last callers: where the tools are the same objects as a moment ago nothing has to be hashed. */
  readonly #latest: { tools: readonly Tool[]; api: WrittenApi }[] = []

  api(tools: readonly Tool[]): CodeApi {
    const same = this.#latest.find((one) => isSame(one.tools, tools))
    if (same) return same.api
    const api = this.#known(tools)
    this.#latest.unshift({ tools, api })
    this.#latest.splice(mostLatest)
    return api
  }

  #known(tools: readonly Tool[]): WrittenApi {
    const hash = createHash('sha256').update(`${this.#round}\0`)
    for (const tool of tools) hash.update(`${this.#hashOf(tool)}${this.#observedOf(tool) ?? ''}\0`)
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

  /** By its hash, if it is one of ours. */
  written(hash: string): WrittenApi | undefined {
    return this.#kept.get(hash)
  }

  observe(tool: string, result: unknown): void {
    const known = this.#observed.get(tool)
    if (!known && this.#observed.size >= mostObserved) return
    const seen = known ?? new Observed()
    const before = seen.type
    seen.see(result)
    if (seen.type !== before) this.#latest.length = 0
    this.#observed.set(tool, seen)
  }

  /** What was written by hand, by namespace. */
  define(definitions: ReadonlyMap<string, Definition>): void {
    this.#definitions = definitions
    this.#round += 1
    this.#latest.length = 0
  }

  #observedOf = ({ name, outputSchema }: Tool): string | undefined =>
    outputSchema ? undefined : this.#observed.get(name)?.type

  #hashOf(tool: Tool): string {
    const known = this.#hashes.get(tool)
    if (known) return known
    const { name, title, description, inputSchema, outputSchema, deprecated } = tool
    const made = createHash('sha256')
      .update(JSON.stringify([name, title, description, inputSchema, outputSchema, deprecated]))
      .digest('base64url')
    this.#hashes.set(tool, made)
    return made
  }

  #write(hash: string, tools: readonly Tool[]): WrittenApi {
    const generated = generateApi(
      tools.map((tool) => asWritten(tool, this.#observedOf(tool))),
      this.#definitions,
    )
    return {
      hash,
      text: generated.text,
      toolOf: (path) => generated.toolOf(path),
      ...lookups(generated, tools),
    }
  }
}

const isSame = (some: readonly Tool[], others: readonly Tool[]): boolean =>
  some.length === others.length && some.every((tool, at) => tool === others[at])

function asWritten(tool: Tool, observed: string | undefined): ApiTool {
  const { name, title, description, inputSchema, outputSchema, deprecated } = tool
  return {
    name,
    description: description || (title ?? ''),
    inputSchema,
    deprecated,
    ...(outputSchema ? { outputSchema } : {}),
    ...(observed ? { observed } : {}),
  }
}

function lookups(
  generated: GeneratedApi,
  tools: readonly Tool[],
): Omit<WrittenApi, 'hash' | 'text' | 'toolOf'> {
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
    namespaceText: (namespace) => namespaces.get(namespace) ?? generated.namespaces.get(namespace)?.text,
    toolText: (tool) => texts.get(tool),
    pathOf: (tool) => paths.get(tool),
    argsOf: (tool, given) => argsOf(paths.get(tool) ?? tool, byName.get(tool)?.inputSchema ?? {}, given),
    declarationOf: (namespace, tool) => generated.namespaces.get(namespace)?.tools.get(tool)?.text,
    members: new Map([...generated.namespaces].map(([member, one]) => [member, [...one.tools.keys()]])),
  }
}
