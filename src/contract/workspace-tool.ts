import { z } from 'zod'
import { Time } from './text.ts'

// The tools of a workspace: what can be done with its files, and what its host answers. Paths in answers are relative to the
// root of the workspace; in questions they may also begin with /workspace, which is the root, or with the root's own path.

export const ToolName = z.enum(['search', 'read', 'write', 'edit', 'list', 'command', 'output'])
export type ToolName = z.infer<typeof ToolName>

const place = z.string().min(1, 'must not be empty').max(65_536)

export const SearchAsked = z.strictObject({
  pattern: z.string().min(1, 'must not be empty').max(10_000),
  /** `glob`, `regex` and `exact` are about names; `content` is a regular expression over what is in the files. */
  type: z.enum(['glob', 'regex', 'exact', 'content']).default('glob'),
  caseSensitive: z.boolean().default(true),
  limit: z.int().min(1).max(10_000).default(1000),
  /** Also what .gitignore leaves out, and what is hidden. `.git` itself is never searched. */
  includeIgnored: z.boolean().default(false),
  /** Only below this folder. */
  path: place.optional(),
})
export type SearchAsked = z.infer<typeof SearchAsked>

export const FoundFile = z.object({
  path: z.string(),
  size: z.int(),
  mtime: Time,
  /** Lines with what was sought, of a search in contents. */
  matches: z.array(z.object({ line: z.int(), text: z.string() })).optional(),
})
export type FoundFile = z.infer<typeof FoundFile>

const timed = { executionTime: z.number() }

/** In the order of their paths. */
export const Found = z.object({ files: z.array(FoundFile), truncated: z.boolean(), ...timed })
export type Found = z.infer<typeof Found>

export const ReadAsked = z.strictObject({
  path: place,
  /** Lines, from 1, both included. */
  range: z.strictObject({ start: z.int().min(1), end: z.int().min(1) }).optional(),
})
export type ReadAsked = z.infer<typeof ReadAsked>

export const ReadAnswer = z.object({
  path: z.string(),
  content: z.string(),
  size: z.int(),
  /** Of the whole file. */
  lines: z.int(),
  mtime: Time,
  /** SHA-256 of the whole file, in hex: `expectedHash` of an edit. */
  hash: z.string(),
  range: z.object({ start: z.int(), end: z.int() }).optional(),
  ...timed,
})
export type ReadAnswer = z.infer<typeof ReadAnswer>

export const WriteAsked = z.strictObject({
  path: place,
  content: z.string(),
  /** Only over a file that is still this one; null: only where there is none. */
  expectedHash: z.string().length(64).nullable().optional(),
  /** Only if it really is at one of these paths or below, wherever links lead. An older host knows no such thing, and refuses. */
  within: z.array(place).max(1_000).optional(),
})
export type WriteAsked = z.infer<typeof WriteAsked>

export const Written = z.object({
  path: z.string(),
  size: z.int(),
  created: z.boolean(),
  hash: z.string(),
  ...timed,
})
export type Written = z.infer<typeof Written>

export const EditAsked = z.strictObject({
  path: place,
  find: z.string().min(1, 'must not be empty'),
  replace: z.string(),
  /** The first of several. */
  first: z.boolean().default(false),
  all: z.boolean().default(false),
  expectedHash: z.string().length(64).optional(),
})
export type EditAsked = z.infer<typeof EditAsked>

export const Edited = z.object({
  path: z.string(),
  replacements: z.int(),
  sizeBefore: z.int(),
  sizeAfter: z.int(),
  hash: z.string(),
  /** Unified; cut when it is very long. */
  diff: z.string(),
  ...timed,
})
export type Edited = z.infer<typeof Edited>

export const ListAsked = z.strictObject({ path: place.default('.') })
export type ListAsked = z.infer<typeof ListAsked>

export const Listed = z.object({
  path: z.string(),
  entries: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['file', 'folder', 'link', 'other']),
      size: z.int(),
      mtime: Time,
    }),
  ),
  truncated: z.boolean(),
  ...timed,
})
export type Listed = z.infer<typeof Listed>

export const longestCommandMs = 600_000
/** One that may take longer than this has to be streamed. */
export const longestUnstreamedMs = 60_000

/** The shape of the keys is not left to z.record, which does not say which one is wrong. */
const Environment = z.record(z.string(), z.string().max(131_072)).superRefine((given, context) => {
  for (const name of Object.keys(given))
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: 'cannot be the name of a variable: letters, digits and _ only, and no digit first',
      })
})

export const CommandAsked = z
  .strictObject({
    /** For `sh -c`. */
    command: z.string().min(1, 'must not be empty').max(131_072),
    timeout: z.int().min(1).max(longestCommandMs).default(30_000),
    cwd: place.optional(),
    env: Environment.optional(),
    stream: z.boolean().default(false),
    /** A person has seen that a rule asks for it. */
    confirm: z.boolean().optional(),
  })
  .refine(({ timeout, stream }) => stream || timeout <= longestUnstreamedMs, {
    path: ['timeout'],
    message: `more than ${longestUnstreamedMs} ms only with stream: true`,
  })
export type CommandAsked = z.infer<typeof CommandAsked>

/** What is left of an output that was too long to be answered whole. */
const OutputRest = z.object({
  /** For the tool `output`, for ten minutes. */
  handle: z.string(),
  /** How many are kept behind the handle, from the first one on. */
  bytes: z.int(),
  /** How many there were in all. */
  said: z.int(),
  /** False when not all of them were kept: there were too many, or the disk was full. */
  isWhole: z.boolean(),
})
export type OutputRest = z.infer<typeof OutputRest>

export const CommandAnswer = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  timedOut: z.boolean(),
  /** Where more of it is; absent when that was all. */
  stdoutRest: OutputRest.optional(),
  stderrRest: OutputRest.optional(),
  ...timed,
})
export type CommandAnswer = z.infer<typeof CommandAnswer>

/** What a streamed command says while it runs, and at its end. */
export const CommandPiece = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['stdout', 'stderr']), text: z.string() }),
  /** Still running, after so many milliseconds. */
  z.object({ type: z.literal('progress'), elapsedMs: z.int() }),
  z.object({ type: z.literal('result'), result: CommandAnswer }),
  z.object({ type: z.literal('error'), error: z.object({ code: z.string(), message: z.string() }) }),
])
export type CommandPiece = z.infer<typeof CommandPiece>

export const OutputAsked = z.strictObject({
  handle: z.string().max(200),
  /** In bytes. */
  offset: z.int().min(0).default(0),
  limit: z.int().min(1).max(1_048_576).default(262_144),
})
export type OutputAsked = z.infer<typeof OutputAsked>

export const OutputPart = z.object({
  content: z.string(),
  offset: z.int(),
  /** Where the next part begins; null at the end. */
  next: z.int().nullable(),
  bytes: z.int(),
  ...timed,
})
export type OutputPart = z.infer<typeof OutputPart>

export const AppAsked = z.strictObject({ action: z.enum(['start', 'stop', 'restart']) })
export type AppAsked = z.infer<typeof AppAsked>

const app = {
  state: z.enum(['none', 'starting', 'running', 'failing', 'stopped']),
  command: z.string().nullable(),
  port: z.int().nullable(),
  pid: z.int().nullable(),
  restarts: z.int(),
  /** Its last lines. */
  said: z.string(),
}

/** The app's own server in the workspace. */
export const AppAnswer = z.object({ ...app, ...timed })
export type AppAnswer = z.infer<typeof AppAnswer>

/** Of the workspace's host. */
export const ToolHealth = z.object({
  status: z.literal('ok'),
  uptimeMs: z.number(),
  /** How many it has started that live. */
  programs: z.int(),
  app: z.object(app),
  ...timed,
})
export type ToolHealth = z.infer<typeof ToolHealth>

/** What a tool cannot do, and nothing is changed by it. */
export const ToolRefusalCode = z.enum([
  'path_outside',
  'path_not_found',
  'path_not_permitted',
  'path_not_granted',
  'path_too_long',
  'not_a_file',
  'not_a_folder',
  'special_file',
  'not_text',
  'file_too_large',
  'file_changed',
  'file_exists',
  'no_match',
  'many_matches',
  'bad_pattern',
  'search_too_long',
  'disk_full',
  'command_not_started',
  'command_refused',
  'output_gone',
  'no_app',
  'tool_input',
  'tool_timed_out',
  'workspace_busy',
])
export type ToolRefusalCode = z.infer<typeof ToolRefusalCode>

export const toolInputs = {
  search: SearchAsked,
  read: ReadAsked,
  write: WriteAsked,
  edit: EditAsked,
  list: ListAsked,
  command: CommandAsked,
  output: OutputAsked,
} as const satisfies Record<ToolName, z.ZodType>

export const toolAnswers = {
  search: Found,
  read: ReadAnswer,
  write: Written,
  edit: Edited,
  list: Listed,
  command: CommandAnswer,
  output: OutputPart,
} as const satisfies Record<ToolName, z.ZodType>

export type ToolInput<Name extends ToolName> = z.infer<(typeof toolInputs)[Name]>
export type ToolAnswer<Name extends ToolName> = z.infer<(typeof toolAnswers)[Name]>
