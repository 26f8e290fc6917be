import { z } from 'zod'
import { READ_RESULT, ReadResult } from '#contract/tool.ts'
import type { ToolResult } from '#contract/tool.ts'
import { CallFailed } from '#tools/port.ts'
import type { CallHands, Caller, Registry } from '#tools/port.ts'
import type { Params, WireTool } from './view.ts'

// Tools to find tools with: a model need not read the definitions of all of them.

const Name = z.string().describe('The name of a tool, as search_tools tells it')

const inputs = {
  search_tools: z.object({
    query: z.string().max(500).describe('Words that say what is to be done'),
    limit: z.int().min(1).max(50).default(10).describe('How many at most'),
  }),
  describe_tool: z.object({ name: Name }),
  call_tool: z.object({
    name: Name,
    arguments: z.record(z.string(), z.unknown()).default({}).describe('As its inputSchema says'),
  }),
  [READ_RESULT]: ReadResult,
}
type MetaTool = keyof typeof inputs

const descriptions: Record<MetaTool, string> = {
  search_tools: 'Finds tools by words, best first: those that are listed, and all others that you may use.',
  describe_tool: 'Tells everything about a tool: the schemas of its arguments and results, and its source.',
  call_tool: 'Calls a tool by its name, also one that is not listed.',
  read_result: 'Reads on in a result that was too long to be given whole.',
}

const reads = { readOnlyHint: true, openWorldHint: false }

// run_code has its place here.
export const metaTools: readonly WireTool[] = (Object.keys(inputs) as MetaTool[]).map((name) => ({
  name,
  description: descriptions[name],
  inputSchema: z.toJSONSchema(inputs[name], { io: 'input' }),
  annotations: name === 'call_tool' ? {} : reads,
}))

export const isMetaTool = (name: string): name is MetaTool => Object.hasOwn(inputs, name)

/** Rejects with CallFailed. */
export async function callMetaTool(
  registry: Registry,
  caller: Caller,
  name: MetaTool,
  args: Params,
  hands: CallHands,
): Promise<ToolResult> {
  switch (name) {
    case 'search_tools': {
      const { query, limit } = fitting(inputs.search_tools, args)
      const tools = registry
        .search(caller, query, limit)
        .map(({ wireName, description, source }) => ({ name: wireName, description, source }))
      return told({ tools })
    }
    case 'describe_tool': {
      const { name: wanted } = fitting(inputs.describe_tool, args)
      await registry.ready(caller, wanted, hands)
      const tool = registry.find(caller, wanted)
      if (!tool) throw notThere(wanted)
      return told(tool)
    }
    case 'call_tool': {
      const { name: wanted, arguments: given } = fitting(inputs.call_tool, args)
      await registry.ready(caller, wanted, hands)
      if (!registry.find(caller, wanted)) throw notThere(wanted)
      return registry.call(caller, wanted, given, hands)
    }
    case READ_RESULT:
      return registry.readResult(caller, fitting(inputs[READ_RESULT], args))
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
