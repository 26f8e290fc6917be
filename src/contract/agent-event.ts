import { z } from 'zod'

// What an agent that speaks a protocol says, in the one vocabulary into which every adapter translates.

/** A UI message chunk of the AI SDK (`text-delta`, `tool-input-available`, …). `data-*` ones are ours, and carry `data`. */
export const Chunk = z.looseObject({ type: z.string() })
export type Chunk = z.infer<typeof Chunk>

/** A file that goes with a message: in the workspace (a path within it), or brought along (a data: URL). */
export const PromptFile = z.object({
  url: z.string(),
  mediaType: z.string(),
  name: z.string().optional(),
})
export type PromptFile = z.infer<typeof PromptFile>

export const Prompt = z.object({ text: z.string(), files: z.array(PromptFile) })
export type Prompt = z.infer<typeof Prompt>

/** Something to choose from: a model, a mode, an answer. */
export const Choice = z.object({ id: z.string(), label: z.string(), description: z.string().optional() })
export type Choice = z.infer<typeof Choice>

/** What the agent tells of its session, whenever it changes; what is not told stays as it was. */
export const SessionFacts = z.object({
  /** What the agent itself calls its session: with this it can be resumed. */
  sessionRef: z.string().optional(),
  /**
   * How this turn's session began, said once per process: `new` after a session that was to go on means that the agent
   * knows nothing of it, and `note` says why.
   */
  began: z.enum(['new', 'resumed', 'loaded', 'forked']).optional(),
  note: z.string().optional(),
  title: z.string().optional(),
  model: z.string().optional(),
  mode: z.string().optional(),
  models: z.array(Choice).optional(),
  modes: z.array(Choice).optional(),
  agentVersion: z.string().optional(),
})
export type SessionFacts = z.infer<typeof SessionFacts>

/** What this turn has used so far: each replaces the one before. */
export const Usage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  cachedInputTokens: z.int().optional(),
  reasoningTokens: z.int().optional(),
  /** Calls of the model. */
  steps: z.int().optional(),
  /** Null where the agent does not know. */
  costUsd: z.number().nullable(),
  contextUsed: z.int().optional(),
  contextWindow: z.int().optional(),
})
export type Usage = z.infer<typeof Usage>

/** One question of a form. */
export const Question = z.object({
  id: z.string(),
  question: z.string(),
  header: z.string().optional(),
  choices: z.array(Choice),
  multiple: z.boolean(),
})
export type Question = z.infer<typeof Question>

export const ApprovalKind = z.enum(['tool', 'question', 'plan', 'danger'])
export type ApprovalKind = z.infer<typeof ApprovalKind>

/** A way to answer. `kind` tells what it means, whatever the agent calls it. */
export const ApprovalOption = z.object({
  id: z.string(),
  label: z.string(),
  kind: z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always']),
})
export type ApprovalOption = z.infer<typeof ApprovalOption>

/** An agent asks whether it may, or what it should. */
export const ApprovalAsked = z.object({
  /** As the agent's protocol names it; made unique within the execution by the adapter. */
  requestId: z.string(),
  kind: ApprovalKind.exclude(['danger']),
  tool: z.string(),
  /** The MCP server whose tool it is, where that is certain. */
  server: z.string().optional(),
  /** One line for people. */
  title: z.string(),
  input: z.unknown(),
  toolCallId: z.string().nullable(),
  /** The command, path or address that rules are matched against. */
  subject: z.string().nullable(),
  /** All of them where there are several, `subject` being the first: every file that one change touches. */
  subjects: z.array(z.string()).optional(),
  /** They are known to be paths or addresses. Otherwise a shell may read them. */
  isPlace: z.boolean().optional(),
  /** It only looks, as far as the agent's protocol tells. */
  readOnly: z.boolean(),
  options: z.array(ApprovalOption),
  questions: z.array(Question).optional(),
  /** JSON Schema of what is to be filled in (elicitation). */
  schema: z.record(z.string(), z.unknown()).optional(),
})
export type ApprovalAsked = z.infer<typeof ApprovalAsked>

/** The answer, as it is told to the agent. */
export const ApprovalAnswer = z.object({
  requestId: z.string(),
  /** Of the input that was shown: an answer to something else is no answer. */
  inputHash: z.string(),
  decision: z.enum(['granted', 'refused']),
  reason: z.string().optional(),
  /** One of the options, where a person chose one; else the adapter takes one that means the decision, for this once. */
  optionId: z.string().optional(),
  /** What was filled in: answers by question id, or fields by the schema. */
  content: z.record(z.string(), z.unknown()).optional(),
})
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>

/** A server of tools that the agent gets in its own config form. */
export const McpServer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('stdio'),
    name: z.string(),
    command: z.string(),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()),
  }),
  z.object({
    type: z.literal('http'),
    name: z.string(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
  }),
])
export type McpServer = z.infer<typeof McpServer>
