/** As much of LangChain's StructuredTool as is needed to call one. */
export interface ModuleTool {
  name: string
  description?: unknown
  schema?: unknown
  responseFormat?: unknown
  lc_namespace?: unknown
  invoke: (input: unknown, config?: { signal?: AbortSignal }) => unknown
}

const givesTools = /^(?:get|create|make|load|build)?_?tools$/i
const deepest = 3

/**
 * The tools that a module exports: by themselves, in lists and objects, as a toolkit, promised, or by a function that is the default export or has
 * a name like `getTools`. Other functions are not called: nobody knows what they do.
 */
export async function findTools(exported: Record<string, unknown>): Promise<ModuleTool[]> {
  const found = new Set<ModuleTool>()
  for (const [name, value] of Object.entries(exported)) {
    const isCallable = name === 'default' || givesTools.test(name)
    for (const tool of await toolsIn(value, isCallable, 0)) found.add(tool)
  }
  return [...found]
}

async function toolsIn(given: unknown, isCallable: boolean, depth: number): Promise<ModuleTool[]> {
  const value = await given
  if (isTool(value)) return [value]
  if (depth > deepest || value === null) return []
  if (typeof value === 'function') {
    if (!isCallable || /^class\b/.test(Function.prototype.toString.call(value))) return []
    return toolsIn(await (value as () => unknown)(), false, depth + 1)
  }
  if (typeof value !== 'object') return []
  if ('getTools' in value && typeof value.getTools === 'function') {
    return toolsIn(await (value as { getTools: () => unknown }).getTools(), false, depth + 1)
  }
  const inner = await Promise.all(Object.values(value).map((one) => toolsIn(one, false, depth + 1)))
  return inner.flat()
}

const isTool = (value: unknown): value is ModuleTool =>
  typeof value === 'object' &&
  value !== null &&
  'invoke' in value &&
  typeof value.invoke === 'function' &&
  'name' in value &&
  typeof value.name === 'string' &&
  value.name !== ''
