import { z } from 'zod'
import { Id, Time } from './text.ts'

export const SourceTransport = z.enum(['stdio', 'http', 'sse', 'websocket', 'openapi', 'langchain'])
export type SourceTransport = z.infer<typeof SourceTransport>

/** A namespace is part of every name: short, and spelled as every client takes it. */
export const SourceName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])?$/i,
    'must be 1 to 32 letters, digits, dashes or underscores, beginning and ending with a letter or digit',
  )
  .refine((name) => !name.includes('__'), 'must not contain two underscores in a row: they end a namespace')
  .refine((name) => !reserved.has(name.toLowerCase()), 'is reserved for the tools of Signalbox itself')
const reserved = new Set(['board', 'workspace', 'signalbox', 'tools', 'code'])

const text = (max: number) => z.string().max(max, `must be at most ${max} characters`)
const storable = text(32_768).refine((value) => value.isWellFormed() && !value.includes('\0'), {
  message: 'must be well-formed Unicode without NUL characters',
})
const variables = z.record(z.string().min(1).max(256), storable)

export const SourceAuth = z.strictObject({
  type: z.enum(['bearer', 'oauth']).default('bearer'),
  token: storable.optional(),
  clientId: storable.optional(),
  clientSecret: storable.optional(),
  scopes: z.array(text(200)).max(100).default([]),
})
export type SourceAuth = z.infer<typeof SourceAuth>

export const RetryPolicy = z.strictObject({
  maxRetries: z.int().min(0).max(100).default(3),
  initialDelay: z.int().min(0).max(600_000).default(500),
  maxDelay: z.int().min(0).max(600_000).default(30_000),
})
export type RetryPolicy = z.infer<typeof RetryPolicy>

/** Where tools come from, as the owner says it. Times are milliseconds. `${NAME}` in a value is filled in where it is used. */
export const SourceConfig = z
  .strictObject({
    transport: SourceTransport,
    description: text(2_000).optional(),
    /** stdio: the program and its arguments. */
    command: storable.optional(),
    args: z.array(storable).max(1_000).default([]),
    cwd: storable.optional(),
    env: variables.default({}),
    /** Every other transport; for `openapi` the address of the document or the base of its calls. */
    url: storable.optional(),
    headers: variables.default({}),
    auth: SourceAuth.optional(),
    /** openapi: the document itself, as JSON or YAML. */
    document: text(10_485_760).optional(),
    /** langchain: a module of the machine that exports tools. */
    module: storable.optional(),
    /** Of one call. */
    timeout: z.int().min(1).max(3_600_000).default(30_000),
    retryPolicy: RetryPolicy.prefault({}),
    /** Calls a minute and at the same time, of everybody together. */
    rateLimit: z.int().min(1).max(1_000_000).default(6_000),
    maxConcurrent: z.int().min(1).max(1_000).default(16),
    /** Who may call its tools: `*`, `users`, `agents`, or ids and names of users and agents. The owner always may. */
    grants: z.array(text(200)).max(1_000).default(['*']),
    /** Only these of its tools; none named: all. Patterns with `*`. */
    tools: z.array(text(200)).max(1_000).default([]),
    enabled: z.boolean().default(true),
  })
  .superRefine((config, context) => {
    const needed = neededBy[config.transport]
    if (needed.some((field) => config[field] !== undefined)) return
    const message = `is missing: transport ${config.transport} needs ${needed.join(' or ')}`
    context.addIssue({ code: 'custom', message, path: [needed[0]] })
  })
export type SourceConfig = z.infer<typeof SourceConfig>

/** Of which one has to be there. */
export const neededBy = {
  stdio: ['command'],
  http: ['url'],
  sse: ['url'],
  websocket: ['url'],
  openapi: ['document', 'url'],
  langchain: ['module'],
} as const satisfies Record<SourceTransport, readonly string[]>

/** `environment` is the seed's name for `env`; both are taken. */
export const AddSource = z.strictObject({
  name: SourceName,
  config: z.preprocess(withEnv, SourceConfig),
  /** Without one: the machine that answers. */
  machineId: Id.optional(),
})
export type AddSource = z.infer<typeof AddSource>

function withEnv(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || !('environment' in given)) return given
  const { environment, ...config } = given as Record<string, unknown>
  return { ...config, env: { ...asRecord(config['env']), ...asRecord(environment) } }
}
const asRecord = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {})

/**
 * `connecting`: for the first time, or again. `unhealthy`: it failed, and is tried again at `nextRetryAt`. `unauthorized`: somebody has to
 * let us in first. `disabled`: nobody wants it now.
 */
export const SourceStatus = z.enum(['connecting', 'healthy', 'unhealthy', 'unauthorized', 'disabled'])
export type SourceStatus = z.infer<typeof SourceStatus>

export const SourceHealth = z.object({
  name: z.string(),
  status: SourceStatus,
  /** One line: the last thing that went wrong, and when. */
  error: z.string().nullable(),
  errorAt: Time.nullable(),
  nextRetryAt: Time.nullable(),
  /** How many. */
  tools: z.int(),
  /** The protocol that was agreed on, the server's name and version, as far as it told them. */
  protocol: z.string().nullable(),
  server: z.string().nullable(),
  pid: z.int().nullable(),
  since: Time.nullable(),
})
export type SourceHealth = z.infer<typeof SourceHealth>

export const HealthListing = z.object({
  summary: z.object({ total: z.int(), healthy: z.int(), unhealthy: z.int() }),
  servers: z.array(SourceHealth),
})
export type HealthListing = z.infer<typeof HealthListing>

/** Where the registration came from: an owner by the API, the YAML file, `mcp-config.json`, or another program's configuration. */
export const SourceOrigin = z.enum(['api', 'yaml', 'file', 'import'])
export type SourceOrigin = z.infer<typeof SourceOrigin>

/** As people see it: secrets are only said to be there (`•••`). */
export const Source = z.object({
  id: Id,
  name: z.string(),
  machineId: Id,
  origin: SourceOrigin,
  config: SourceConfig,
  createdBy: z.string(),
  createdAt: Time,
  updatedAt: Time,
  health: SourceHealth.nullable(),
})
export type Source = z.infer<typeof Source>

export const EditSource = z.strictObject({
  enabled: z.boolean().optional(),
  description: text(2_000).optional(),
  timeout: z.int().min(1).max(3_600_000).optional(),
  grants: z.array(text(200)).max(1_000).optional(),
  tools: z.array(text(200)).max(1_000).optional(),
})
export type EditSource = z.infer<typeof EditSource>

/** Whose configuration is read: on the machine, in the user's own folder. */
export const ImportFrom = z.enum(['claude', 'codex', 'gemini'])
export type ImportFrom = z.infer<typeof ImportFrom>

export const ImportSources = z.strictObject({
  from: ImportFrom,
  /** Only these; none named: all. */
  names: z.array(z.string().max(200)).max(1_000).optional(),
  /** Only tells what would be taken. */
  dryRun: z.boolean().default(false),
  machineId: Id.optional(),
})
export type ImportSources = z.infer<typeof ImportSources>

export const ImportedSources = z.object({
  imported: z.array(z.string()),
  skipped: z.array(z.object({ name: z.string(), why: z.string() })),
})
export type ImportedSources = z.infer<typeof ImportedSources>

/** Where a person lets us in at an upstream: they open the address, and are sent back to `GET mcp/callback`. */
export const AuthorizeSource = z.object({ authorizationUrl: z.string(), expiresAt: Time })
export type AuthorizeSource = z.infer<typeof AuthorizeSource>

/** What stands behind the `?` of the address that an issuer sent somebody back to, as it stands there. */
export const ComeBack = z.strictObject({ query: z.string().max(16_384) })
export type ComeBack = z.infer<typeof ComeBack>

/** Somebody is back, and has let us in there. */
export const Authorized = z.object({ name: z.string() })
export type Authorized = z.infer<typeof Authorized>
