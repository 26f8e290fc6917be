import { z } from 'zod'
import { Id, Time } from './text.ts'

/** What a tool says of itself. Hints, from whoever wrote it: they can make something be asked for, never let it pass alone. */
export const ToolAnnotations = z.object({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
})
export type ToolAnnotations = z.infer<typeof ToolAnnotations>

const JsonSchema = z.record(z.string(), z.unknown())

/** One shape for the tools of every kind of source. */
export const Tool = z.object({
  /** `namespace.tool`, unique and stable. */
  name: z.string(),
  /** The same for whoever takes neither dots nor more than 64 characters: `namespace__tool`. */
  wireName: z.string(),
  title: z.string().optional(),
  description: z.string(),
  inputSchema: JsonSchema,
  outputSchema: JsonSchema.optional(),
  annotations: ToolAnnotations,
  /** The name of its source. */
  source: z.string(),
  version: z.string(),
  tags: z.array(z.string()),
  deprecated: z.boolean(),
  /** `pinned`: as it was accepted. `changed`: its definition is another than the accepted one, and it waits for a yes. */
  definition: z.enum(['pinned', 'changed']),
  /** Why it cannot be called at the moment, if it cannot. */
  unavailable: z.string().optional(),
  /** What people should know of it all the same. */
  notes: z.array(z.string()).optional(),
})
export type Tool = z.infer<typeof Tool>

export const ToolNamespace = z.object({ description: z.string(), tools: z.array(Tool) })
export type ToolNamespace = z.infer<typeof ToolNamespace>

/** Told once for each pair that would have had the same name: the second got another one, or none. */
export const NameCollision = z.object({
  name: z.string(),
  source: z.string(),
  tool: z.string(),
  told: z.string(),
})
export type NameCollision = z.infer<typeof NameCollision>

export const ToolListing = z.object({
  namespaces: z.record(z.string(), ToolNamespace),
  collisions: z.array(NameCollision),
})
export type ToolListing = z.infer<typeof ToolListing>

export const ToolsQuery = z.object({
  /** Words to look for in names, descriptions and tags, best first. */
  q: z.string().max(500).optional(),
  source: z.string().max(100).optional(),
  /** The tools as they are offered in this session. */
  sessionId: Id.optional(),
})
export type ToolsQuery = z.infer<typeof ToolsQuery>

export const CallTool = z.strictObject({
  args: z.record(z.string(), z.unknown()).default({}),
  /** For the tools of a workspace: in the workspace of this session. */
  sessionId: Id.optional(),
  /** A person says yes to what would be asked for otherwise. */
  confirm: z.boolean().optional(),
})
export type CallTool = z.infer<typeof CallTool>

/**
 * Which tools a client of MCP is told of (`/mcp?tools=…`): `search` are those of the board and those that find the others; `auto` is the
 * same when there are many, and else all; `code` is what finds tools and what runs code that calls them.
 */
export const ToolsListed = z.enum(['auto', 'all', 'search', 'code'])
export type ToolsListed = z.infer<typeof ToolsListed>

/** The one that runs code, which calls the others. */
export const RUN_CODE = 'run_code'

/** The tool, wherever tools are called, that reads on in an answer that was cut. */
export const READ_RESULT = 'read_result'
export const ReadResult = z.object({
  handle: z.string().max(200).describe('From an answer that was cut'),
  offset: z.int().min(0).default(0).describe('Where to go on, in characters'),
})
export type ReadResult = z.infer<typeof ReadResult>

/** Where the rest of an answer is kept: a handle begins with the id of the machine. */
export const machineOfHandle = (handle: unknown): string | undefined =>
  typeof handle === 'string' ? /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\./.exec(handle)?.[1] : undefined

/** A piece of content, as MCP has it (`text`, `image`, `audio`, `resource`, `resource_link`). */
export const ToolContent = z.looseObject({ type: z.string() })
export type ToolContent = z.infer<typeof ToolContent>

/** What a tool answers. `isError` is the tool's own word; what the registry refuses is a Problem. */
export const ToolResult = z.object({
  content: z.array(ToolContent),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
})
export type ToolResult = z.infer<typeof ToolResult>

export const ToolAnswer = z.object({ result: ToolResult, executionTime: z.number() })
export type ToolAnswer = z.infer<typeof ToolAnswer>

/** What a tool said of itself when it was accepted, beside what it says now. */
export const AcceptedTool = z.object({ definition: z.unknown(), acceptedAt: Time, acceptedBy: z.string() })
export type AcceptedTool = z.infer<typeof AcceptedTool>
