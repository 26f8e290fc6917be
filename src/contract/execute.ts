import { z } from 'zod'
import { Id, Time, prose } from './text.ts'

const KB = 1024
const units: Record<string, number> = { '': 1, B: 1, KB, MB: KB ** 2, GB: KB ** 3 }
const bytesOf = (text: string): number => {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([KMG]?B)?$/.exec(text) ?? []
  return Math.round(Number(amount) * (units[unit] ?? 1))
}

/** Bytes, or as people write them: `64MB`. */
export const Size = z
  .union([
    z.int().min(1),
    z.string().regex(/^\d+(?:\.\d+)?\s*(?:[KMG]?B)?$/, 'must be a number of bytes, or a size like 64MB'),
  ])
  .transform((given) => (typeof given === 'string' ? bytesOf(given) : given))

/** Less is not enough for anything to run in. */
const leastMemory = KB ** 2

const names = (what: string) => z.array(prose(500).min(1).describe(what)).max(500)

/** What code may reach, said in full. What is not named is denied, and nobody gets more than they have themselves. */
export const CapabilitySet = z.strictObject({
  network: z
    .strictObject({
      allowedHosts: names(
        '`api.example.com`, `*.example.com`; an address or private host only by its own name',
      ).default([]),
      allowedPorts: z.array(z.int().min(1).max(65_535)).max(100).default([]).describe('None named: any'),
      maxRequestsPerSecond: z.number().positive().max(10_000).optional(),
      maxRequestSize: Size.optional(),
      timeout: z.int().min(1).optional().describe('Milliseconds'),
    })
    .optional(),
  filesystem: z
    .strictObject({
      allowedPaths: names('A path in the workspace').default([]),
      readOnly: z.boolean().default(true),
      maxFileSize: Size.optional(),
      allowedExtensions: names('`.json`').default([]),
    })
    .optional(),
  mcp: z
    .strictObject({
      allowedServers: names('`github`, or `*` for all that are granted to you').default([]),
      allowedTools: names('`github.create_issue`').default([]),
      maxCallsPerSecond: z.number().positive().max(10_000).optional(),
      maxConcurrentCalls: z.int().min(1).max(1_000).optional(),
      timeout: z.int().min(1).optional().describe('Milliseconds'),
    })
    .optional(),
  system: z.strictObject({ time: z.boolean().default(false), random: z.boolean().default(false) }).optional(),
})
export type CapabilitySet = z.infer<typeof CapabilitySet>

/** The same in short: `mcp:SERVER[.TOOL]`, `network:HOST[:PORT]`, `fs:PATH[:rw]`, `system:time`, `system:random`. */
export const CapabilityWords = z.array(prose(1_000).min(1)).max(500)

export const Capabilities = z.union([CapabilityWords, CapabilitySet])
export type Capabilities = z.infer<typeof Capabilities>

export const longestCode = 1024 * KB
export const longestTimeoutMs = 600_000

export const ExecuteCode = z.strictObject({
  code: prose(longestCode).describe('The body of an async function: `return` is its result'),
  typescript: z.boolean().default(true).describe('false: JavaScript, which is not checked'),
  check: z.boolean().default(true).describe('false: types are not checked before it runs'),
  timeout: z
    .int()
    .min(1)
    .max(longestTimeoutMs)
    .optional()
    .describe('Milliseconds; waiting for a person does not count'),
  memoryLimit: Size.refine((bytes) => bytes >= leastMemory, 'must be at least 1MB')
    .optional()
    .describe('Bytes, or `64MB`; at most what the configuration has as `sandbox.limits.memory`'),
  capabilities: Capabilities.optional().describe('What it may reach; nothing, when it is not said'),
  context: z.unknown().optional().describe('What the code finds as `context`'),
  sessionId: Id.optional().describe('The session whose workspace its files are in'),
  confirm: z.boolean().optional().describe('A person says yes beforehand to what would be asked about'),
  extendTimeout: z.boolean().optional().describe('Give it its time once more when the first is over'),
})
export type ExecuteCode = z.infer<typeof ExecuteCode>

/** `POST execute/check`: looks at TypeScript, and runs nothing of it. */
export const CheckCode = ExecuteCode.pick({ code: true, sessionId: true })
export type CheckCode = z.infer<typeof CheckCode>

export const CodeErrorType = z.enum([
  'validation',
  'security',
  'timeout',
  'memory',
  'network',
  'mcp',
  'runtime',
])
export type CodeErrorType = z.infer<typeof CodeErrorType>

export const CodeErrorCode = z.enum([
  'TYPE_ERROR',
  'SYNTAX_ERROR',
  'CAPABILITY_VIOLATION',
  'EXECUTION_TIMEOUT',
  'MEMORY_LIMIT',
  'NETWORK_ERROR',
  'MCP_ERROR',
  'RUNTIME_ERROR',
])
export type CodeErrorCode = z.infer<typeof CodeErrorCode>

/** Where in the code, as it was given: lines and columns from 1. */
export const Diagnostic = z.object({
  line: z.int(),
  column: z.int(),
  /** TypeScript's number, where it has one. */
  code: z.int().optional(),
  message: z.string(),
  /** What may have been meant. */
  suggestion: z.string().optional(),
})
export type Diagnostic = z.infer<typeof Diagnostic>

export const CheckedCode = z.object({ diagnostics: z.array(Diagnostic) })
export type CheckedCode = z.infer<typeof CheckedCode>

/** `GET execute/tokens`: what a model reads of its tools before it does anything. */
export const CodeTokens = z.object({
  tools: z.int(),
  /** Each of them listed in full. */
  listed: z.int(),
  /** Only what finds tools, and what runs code that calls them. */
  code: z.int(),
  /** By whose count; other models count about the same. */
  encoding: z.literal('o200k_base'),
})
export type CodeTokens = z.infer<typeof CodeTokens>

export const CodeError = z.object({
  type: CodeErrorType,
  code: CodeErrorCode,
  message: z.string(),
  /** `line`, `column`, `stack` in the code as it was given; `diagnostics`; the `tool`, the `host`; what can be done. */
  details: z.record(z.string(), z.unknown()),
  requestId: Id,
  timestamp: Time,
})
export type CodeError = z.infer<typeof CodeError>

export const CodeMetrics = z.object({
  /** Milliseconds from its start to its end; waiting for a person does not count. */
  executionTime: z.number(),
  /** Bytes at most. */
  memoryUsed: z.number(),
  /** Milliseconds in which it ran itself. */
  cpuTime: z.number(),
  apiCalls: z.int(),
})
export type CodeMetrics = z.infer<typeof CodeMetrics>

export const CodeResult = z.object({
  success: z.boolean(),
  result: z.unknown().optional(),
  error: CodeError.optional(),
  metrics: CodeMetrics,
  logs: z.array(z.string()),
  requestId: Id,
})
export type CodeResult = z.infer<typeof CodeResult>

/** It is frozen until somebody answers, or goes on just now: ask again. */
export const CodeWaiting = z.object({
  requestId: Id,
  approvals: z.array(z.object({ id: Id, tool: z.string(), title: z.string(), expiresAt: Time })),
})
export type CodeWaiting = z.infer<typeof CodeWaiting>

export const LogLevel = z.enum(['debug', 'info', 'warn', 'error'])
export type LogLevel = z.infer<typeof LogLevel>

/** What a worker tells of one execution, line by line. The last is `result`. */
export const CodeLine = z.discriminatedUnion('type', [
  z.object({ type: z.literal('log'), level: LogLevel, message: z.string() }),
  z.object({ type: z.literal('waiting'), waiting: CodeWaiting }),
  z.object({ type: z.literal('result'), result: CodeResult }),
])
export type CodeLine = z.infer<typeof CodeLine>

/** Both ways on `execute/ws`. `id` is the client's own name for an execution. */
export const CodeMessage = z.object({
  id: prose(200),
  type: z.enum(['execute', 'result', 'error', 'log', 'cancel']),
  payload: z.unknown().optional(),
  timestamp: z.number().optional(),
})
export type CodeMessage = z.infer<typeof CodeMessage>

/** What clients say of these. */
export const CodeMessageHeard = CodeMessage.extend({ type: z.enum(['execute', 'cancel']) })
export type CodeMessageHeard = z.infer<typeof CodeMessageHeard>

/** `GET tools/api.d.ts`: all of it, one namespace, or one tool. */
export const ApiQuery = z.object({
  namespace: z.string().max(100).optional(),
  tool: z.string().max(300).optional(),
  sessionId: Id.optional(),
})
export type ApiQuery = z.infer<typeof ApiQuery>
