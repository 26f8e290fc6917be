import { z } from 'zod'
import { Paging } from './answer.ts'
import { AgentPreset } from './agent.ts'
import { DangerLevel } from './capability.ts'
import { Id, Time, line } from './text.ts'

/** What a program on PATH is. `builtin` is one of the shell's own words that is a file too (`test`, `printf`). */
export const ProgramClass = z.enum(['tool', 'daemon', 'agent', 'tui', 'builtin'])
export type ProgramClass = z.infer<typeof ProgramClass>

/** By what a program came onto the machine; `none` is a file that nobody answers for. */
export const PackageSource = z.enum([
  'dpkg',
  'rpm',
  'apk',
  'npm',
  'cargo',
  'brew',
  'snap',
  'pip',
  'go',
  'nix',
  'none',
])
export type PackageSource = z.infer<typeof PackageSource>

/** Where it is known from what a program can be asked for. */
export const SchemaSource = z.enum(['fig', 'bash', 'zsh', 'argc', 'help', 'model'])
export type SchemaSource = z.infer<typeof SchemaSource>

/** An option, or (with no names) a positional argument. */
export const CommandValue = z.object({
  /** What it stands for: `file`, `branch`, `count`. */
  name: z.string(),
  description: z.string(),
  type: z.enum(['string', 'number', 'path']),
  isOptional: z.boolean(),
  isVariadic: z.boolean(),
  /** Only these are taken; empty where anything is. */
  choices: z.array(z.string()),
})
export type CommandValue = z.infer<typeof CommandValue>

export const CommandOption = z.object({
  /** As they are written, the long one first: `--message`, `-m`. */
  names: z.array(z.string()).min(1),
  description: z.string(),
  /** What it takes; null is a switch. */
  value: CommandValue.nullable(),
  /** The value follows after a `=`, or after the name as a word of its own. */
  isJoined: z.boolean(),
  isRepeatable: z.boolean(),
  isRequired: z.boolean(),
  danger: DangerLevel,
})
export type CommandOption = z.infer<typeof CommandOption>

/** One thing that a program can be asked for: itself (no words) or a subcommand (`git remote add`: two). */
export const Command = z.object({
  words: z.array(z.string()),
  description: z.string(),
  options: z.array(CommandOption),
  positionals: z.array(CommandValue),
  danger: DangerLevel,
})
export type Command = z.infer<typeof Command>

/** What a program can be asked for, the whole of it first. */
export const ProgramSchema = z.object({
  source: SchemaSource,
  commands: z.array(Command),
  /** What was left out, because all of it would be too much. */
  leftOut: z.int(),
})
export type ProgramSchema = z.infer<typeof ProgramSchema>

/** `found` waits for a yes, `confirmed` is an agent, `hidden` was told not to be shown. */
export const FoundState = z.enum(['found', 'confirmed', 'hidden'])
export type FoundState = z.infer<typeof FoundState>

/** A program on one machine. */
export const FoundProgram = z.object({
  id: Id,
  machineId: Id,
  path: z.string(),
  name: z.string(),
  /** What it is by the links on its way: `/etc/alternatives/vi` is `/usr/bin/vim.basic`. */
  realPath: z.string(),
  package: z.string().nullable(),
  packageSource: PackageSource,
  version: z.string().nullable(),
  description: z.string().nullable(),
  class: ProgramClass,
  /** From 0 to 1: how sure that is. */
  confidence: z.number(),
  /** The known coding agent that it is. */
  preset: AgentPreset.nullable(),
  /** Of the first level; empty where there are none, and while nobody has looked (`schemaSource` is null). */
  subcommands: z.array(z.string()),
  /** The names of its options, of the program as a whole. */
  options: z.array(z.string()),
  schemaSource: SchemaSource.nullable(),
  /** Why there is none, though it was asked for. */
  schemaTrouble: z.string().nullable(),
  danger: DangerLevel,
  /** How often it stands in the histories of the shells here. */
  uses: z.int(),
  /** What people here call it by. */
  aliases: z.array(z.string()),
  state: FoundState,
  /** The agent that it became. */
  agentId: Id.nullable(),
  /** Since when it is not there any more. */
  goneAt: Time.nullable(),
  seenAt: Time,
})
export type FoundProgram = z.infer<typeof FoundProgram>

/** `GET discovery/:id`: with what it can be asked for, found out now if nobody has looked before. */
export const DescribedProgram = FoundProgram.extend({ schema: ProgramSchema.nullable() })
export type DescribedProgram = z.infer<typeof DescribedProgram>

export const DiscoveryQuery = Paging.extend({
  machineId: Id.optional(),
  /** In its name, its aliases, its package and its description. */
  q: line(200).optional(),
  class: ProgramClass.optional(),
  /** Without it: all but the hidden ones. */
  state: FoundState.optional(),
  gone: z.enum(['true', 'false']).optional(),
})
export type DiscoveryQuery = z.infer<typeof DiscoveryQuery>

export const AskScan = z.strictObject({ machineId: Id.optional() })
export type AskScan = z.infer<typeof AskScan>

export const ScanStage = z.enum(['scan', 'identify', 'classify', 'schema', 'enrich', 'index'])
export type ScanStage = z.infer<typeof ScanStage>

/** How a scan goes; one is under way on a machine at a time, and whoever asks for another is told of this one. */
export const ScanProgress = z.object({
  machineId: Id,
  scanId: Id,
  status: z.enum(['running', 'done', 'failed']),
  stage: ScanStage,
  /** How many of the stage's programs are done, of how many. */
  done: z.int(),
  total: z.int(),
  found: z.int(),
  added: z.int(),
  gone: z.int(),
  /** What could not be looked at, and why: unreadable folders, broken links; the first hundred. */
  troubles: z.array(z.object({ path: z.string(), reason: z.string() })),
  error: z.string().nullable(),
  startedAt: Time,
  endedAt: Time.nullable(),
})
export type ScanProgress = z.infer<typeof ScanProgress>

/** With `hide` they are put out of sight instead; `hide: false` on hidden ones brings them back. */
export const ConfirmFound = z.strictObject({
  ids: z.array(Id).min(1, 'must name at least one').max(500),
  hide: z.boolean().optional(),
})
export type ConfirmFound = z.infer<typeof ConfirmFound>

/** `POST discovery/:id/describe`: looks again at what it can be asked for; only with `model` a model is asked. */
export const AskDescription = z.strictObject({ model: z.boolean().default(false) })
export type AskDescription = z.infer<typeof AskDescription>
