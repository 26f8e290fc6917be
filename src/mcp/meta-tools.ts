import { z } from 'zod'
import { READ_RESULT, RUN_CODE, ReadResult } from '#contract/tool.ts'
import type { Tool, ToolResult } from '#contract/tool.ts'
import { CallFailed } from '#tools/port.ts'
import type { CallHands, Caller, Registry } from '#tools/port.ts'
import type { CodeNames, CodeNamesOf } from './code-names.ts'
import type { Params, WireTool } from './view.ts'

// Tools to find tools with: a model need not read the definitions of all of them.

const Name = z.string().describe('The name of a tool, or its `code`, as search_tools tells them')
const Format = z.enum(['typescript', 'schema', 'both'])
type Format = z.infer<typeof Format>

const inputs = {
  search_tools: z.object({
    query: z.string().max(500).describe('Words that say what is to be done'),
    limit: z.int().min(1).max(50).default(10).describe('How many at most'),
  }),
  describe_tool: z.object({
    name: Name,
    format: Format.optional().describe(
      'TypeScript, for code; JSON Schema, also of what is nested deep; or both',
    ),
  }),
  call_tool: z.object({
    name: Name,
    arguments: z.record(z.string(), z.unknown()).default({}).describe('As its inputSchema says'),
  }),
  [READ_RESULT]: ReadResult,
}
type MetaTool = keyof typeof inputs

const descriptions: Record<MetaTool, string> = {
  search_tools: 'Finds tools by words, best first: those that are listed, and all others that you may use.',
  describe_tool: 'Tells everything about a tool: its arguments and results, and its source.',
  call_tool: 'Calls a tool by its name, also one that is not listed.',
  read_result: 'Reads on in a result that was too long to be given whole.',
}
const forCode: Partial<Record<MetaTool, string>> = {
  search_tools: ` \`code\` is how ${RUN_CODE} calls one.`,
  describe_tool: ' Its `declaration` is what code is checked against.',
}

const reads = { readOnlyHint: true, openWorldHint: false }

export const metaTools: readonly WireTool[] = (Object.keys(inputs) as MetaTool[]).map((name) => {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(inputs[name], { io: 'input' })
  const annotations = name === 'call_tool' ? {} : reads
  return { name, description: descriptions[name], inputSchema, annotations }
})

/** The same for those who may run code. */
export const metaToolsWithCode: readonly WireTool[] = metaTools.map((tool) => ({
  ...tool,
  description: `${tool.description}${forCode[tool.name as MetaTool] ?? ''}`,
}))

export const isMetaTool = (name: string): name is MetaTool => Object.hasOwn(inputs, name)

export interface MetaNeeds {
  registry: Registry
  namesOf: CodeNamesOf
  /** Of what describe_tool tells, when it is not said. */
  usualFormat: Format
}

/** Rejects with CallFailed. */
export async function callMetaTool(
  { registry, namesOf, usualFormat }: MetaNeeds,
  caller: Caller,
  name: MetaTool,
  args: Params,
  hands: CallHands,
): Promise<ToolResult> {
  async function theTool(wanted: string): Promise<Tool> {
    await registry.ready(caller, wanted, hands)
    const tool = registry.find(caller, wanted) ?? (await byPath(wanted))
    if (tool) return tool
    throw notThere(wanted)
  }
  async function byPath(wanted: string): Promise<Tool | undefined> {
    const named = (await namesOf(caller))?.toolOf(wanted.replace(/^mcp\./, ''))
    return named === undefined ? undefined : registry.find(caller, named)
  }

  switch (name) {
    case 'search_tools': {
      const { query, limit } = fitting(inputs.search_tools, args)
      const names = await namesOf(caller)
      const tools = registry
        .search(caller, query, limit)
        .map(({ name: of, wireName, description, source }) => {
          const code = names?.pathOf(of)
          return { name: wireName, ...(code !== undefined && { code }), description, source }
        })
      return told({ tools })
    }
    case 'describe_tool': {
      const { name: wanted, format = usualFormat } = fitting(inputs.describe_tool, args)
      const tool = await theTool(wanted)
      return described(tool, await namesOf(caller), format)
    }
    case 'call_tool': {
      const { name: wanted, arguments: given } = fitting(inputs.call_tool, args)
      return registry.call(caller, (await theTool(wanted)).name, given, hands)
    }
    case READ_RESULT:
      return readOn(registry, caller, args)
  }
}

/** Rejects with CallFailed. */
export const readOn = async (registry: Registry, caller: Caller, args: Params): Promise<ToolResult> =>
  registry.readResult(caller, fitting(inputs[READ_RESULT], args))

/** A tool that code cannot call has no declaration: then its schemas are told, whatever was asked for. */
function described(tool: Tool, names: CodeNames | undefined, format: Format): ToolResult {
  const [code, declaration] = [names?.pathOf(tool.name), names?.toolText(tool.name)]
  if (code === undefined || declaration === undefined || format === 'schema') return told(tool)
  if (format === 'both') return told({ ...tool, code, declaration })
  const { name, description, source, definition, unavailable, notes, annotations } = tool
  return {
    content: [{ type: 'text', text: [`// ${code}`, declaration, unavailable, ...(notes ?? [])].join('\n') }],
    structuredContent: { name, code, declaration, description, source, annotations, definition },
  }
}

function fitting<Shape extends z.ZodType>(shape: Shape, args: Params): z.infer<Shape> {
  const checked = shape.safeParse(args)
  if (checked.success) return checked.data
  const [issue] = checked.error.issues
  throw new CallFailed(
    'bad_arguments',
    `The arguments do not fit: ${issue?.path.join('.') || 'arguments'}: ${issue?.message}`,
  )
}

const told = (value: object): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
})

// Not `tool_not_found`, which is an error of the protocol: call_tool and describe_tool are there.
const notThere = (name: string): CallFailed =>
  new CallFailed('bad_arguments', `There is no tool ${name} that you may use. Look for it with search_tools`)
