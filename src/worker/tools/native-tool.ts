import { z } from 'zod'
import type { Principal, Scope } from '#contract/access.ts'
import type { ToolAnnotations, ToolResult } from '#contract/tool.ts'
import { asAgentPrincipal, knownScopes } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import type { CallHands, Caller, NativeTool } from '#tools/port.ts'

/** What a tool of ours says: in words for a model, and as data for a program. */
export interface Said {
  text: string
  data: Record<string, unknown>
}

interface About<Shape extends z.ZodObject> {
  name: string
  title: string
  description: string
  input: Shape
  annotations: ToolAnnotations
  isFor?: (caller: Caller) => boolean
  needsNoApproval?: boolean
}

/** One of our tools. What it refuses is an answer too: a sentence that says what to do instead. */
export function nativeTool<Shape extends z.ZodObject>(
  { input, annotations, ...about }: About<Shape>,
  run: (caller: Caller, input: z.infer<Shape>, hands: CallHands) => Promise<Said>,
): NativeTool {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })
  return {
    ...about,
    inputSchema,
    annotations: { openWorldHint: false, ...annotations },
    version: '1',
    run: (caller, args, hands) =>
      answered(async () => {
        const { text, data } = await run(caller, read(input, args), hands)
        return { content: [{ type: 'text', text }], structuredContent: data }
      }),
  }
}

/** What is refused for a reason that is known is an answer, too. */
export async function answered(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) return refusal(error)
    throw error
  }
}

/** The arguments, as the tool takes them; the schema that callers see cannot say everything. */
export function read<Shape extends z.ZodType>(shape: Shape, args: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(args)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') || 'the arguments'
  throw new Problem('does_not_fit', `This does not fit: ${field}: ${issue?.message ?? 'something is wrong'}`)
}

const refusal = ({ code, message, context }: Problem): ToolResult => ({
  content: [{ type: 'text', text: message }],
  structuredContent: { error: { code, message, ...(context && { context }) } },
  isError: true,
})

/** Who does it, as flows know them. */
export function principalOf(caller: Caller): Principal {
  if (caller.kind === 'agent') {
    const { agentId, agentName: name, sessionId, executionId, onBehalfOf } = caller
    return asAgentPrincipal({ agentId, name, sessionId, executionId, onBehalfOf })
  }
  const { id, name = id, isOwner, scopes = [] } = caller
  return { id, kind: isOwner ? 'owner' : 'user', name, scopes: knownScopes(scopes) }
}

/** Agents are let to our tools by their grants, people by the scopes of their token. */
export const isForScope =
  (scope: Scope) =>
  (caller: Caller): boolean =>
    caller.kind === 'agent' || caller.isOwner || (caller.scopes?.includes(scope) ?? false)
