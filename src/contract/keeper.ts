import { z } from 'zod'
import { ApprovalAsked, Chunk, McpServer, Prompt, SessionFacts, Usage } from './agent-event.ts'
import { LogStream } from './execution.ts'
import { Id, Time } from './text.ts'
import { Identity } from './up.ts'
import { WorkspaceSpec } from './workspace.ts'

// What worker and keeper say to each other, over HTTP on a unix socket, and what a keeper leaves on disk.
// The keeper takes only types from here: zod would cost it memory, and whoever reaches its socket is its worker.

/** `keeper.json` in the keeper's folder, written once it listens. */
export const KeeperRecord = z.object({
  protocol: z.int(),
  keeperId: Id,
  identity: Identity,
  socket: z.string(),
})
export type KeeperRecord = z.infer<typeof KeeperRecord>

/** What keeps the processes of one program together. */
export const Isolation = z.enum(['pid-namespace', 'process-group', 'sandbox', 'container'])
export type Isolation = z.infer<typeof Isolation>

/** One turn of a session with an agent that speaks a protocol. */
export const TurnAsked = z.object({
  prompt: Prompt,
  /** What the agent calls the session that is to go on; null begins a new one. */
  sessionRef: z.string().nullable(),
  /** There were turns before: should the agent not know of them, that must be said. */
  isContinued: z.boolean(),
  /** Go on in a copy of `sessionRef`, which stays as it is. */
  fork: z.boolean(),
  model: z.string().nullable(),
  mode: z.string().nullable(),
  mcpServers: z.array(McpServer),
  /** What its turns have cost so far. */
  spentUsd: z.number().optional(),
  /** What is left to spend; null is without limit. */
  limits: z.object({
    steps: z.int().nullable(),
    costUsd: z.number().nullable(),
    tokens: z.int().nullable(),
  }),
  /** Silence of this length is told, and nothing else. */
  stallMs: z.int(),
  /** The agent's process waits this long for the next turn. */
  idleMs: z.int(),
  /** Where every line of its protocol is noted; null for nowhere. */
  framesFile: z.string().nullable(),
})
export type TurnAsked = z.infer<typeof TurnAsked>

/** `POST /executions`: start this, once, however often it is asked for. */
export const Launch = z.object({
  executionId: Id,
  /** The lease under which it is asked. A lower one than was ever seen for this execution is refused with 409. */
  epoch: z.int(),
  workspace: WorkspaceSpec,
  sessionId: Id,
  adapter: z.enum(['template', 'claude', 'codex', 'acp', 'terminal']),
  /** Absolute. */
  program: z.string(),
  argv: z.array(z.string()),
  /** All of it; the keeper adds only its mark. */
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  timeoutMs: z.int(),
  maxOutputBytes: z.int(),
  /** Milliseconds of this machine's clock. Read later than this, it is refused: whoever asked has given up. */
  notAfter: z.int(),
  /** For those that hold a session: `claude`, `codex`, `acp`, `terminal`. */
  turn: TurnAsked.optional(),
})
export type Launch = z.infer<typeof Launch>

export const KeptExecution = z.object({
  id: Id,
  epoch: z.int(),
  state: z.enum(['running', 'stopping', 'ended']),
  pid: z.int().nullable(),
  /** The last record in the spool, and where it ends in the file. */
  offset: z.int(),
  bytes: z.int(),
})
export type KeptExecution = z.infer<typeof KeptExecution>

/** `POST /sessions/:id/take-over`: ends the session's agent, and opens its own interface in a terminal, once. */
export const TakeOver = Launch.pick({
  workspace: true,
  program: true,
  argv: true,
  env: true,
  cwd: true,
  notAfter: true,
})
export type TakeOver = z.infer<typeof TakeOver>

/** `POST /tools/:name`, and `/tools/command/stream` with NDJSON of CommandPiece for an answer: one call of a workspace's tool. */
export const ToolCall = z.object({
  workspace: WorkspaceSpec,
  notAfter: z.int(),
  input: z.unknown(),
  /** After this it is given up, and answered with `tool_timed_out`. */
  limitMs: z.int(),
})
export type ToolCall = z.infer<typeof ToolCall>

/** `POST /workspace`: opens the boundary if it is not open, and tells how it is in there. */
export const OpenWorkspace = z.object({ workspace: WorkspaceSpec, notAfter: z.int() })
export type OpenWorkspace = z.infer<typeof OpenWorkspace>

/** `POST /app`: starts, stops or restarts the workspace's app, and tells how it is. */
export const AskApp = OpenWorkspace.extend({
  input: z.object({ action: z.enum(['start', 'stop', 'restart']) }),
})
export type AskApp = z.infer<typeof AskApp>

/** A session that a person has. */
export const KeptTerminal = z.object({
  sessionId: Id,
  tmuxSession: z.string(),
  /** The command line with which somebody on the machine attaches to it. */
  attach: z.string(),
  pid: z.int(),
})
export type KeptTerminal = z.infer<typeof KeptTerminal>

/** `GET /`. */
export const Greeting = z.object({
  protocol: z.int(),
  keeperId: Id,
  identity: Identity,
  /** Null until the first launch: a spare. */
  workspaceId: Id.nullable(),
  isolation: Isolation,
  executions: z.array(KeptExecution),
  /** Agents that live, with or without a turn at present. */
  agents: z.array(z.object({ sessionId: Id, pid: z.int() })).default([]),
  terminals: z.array(KeptTerminal).default([]),
  /** When somebody last used the workspace by its tools or its preview, in milliseconds since 1970. */
  usedAt: z.number().nullable().default(null),
  /** Whether a boundary is open; the one without walls always is. */
  isOpen: z.boolean().default(true),
})
export type Greeting = z.infer<typeof Greeting>

/** One line of `GET /executions/:id/progress?epoch=E`: said at once, and whenever the spool has grown. */
export const Progress = KeptExecution.pick({ state: true, offset: true, bytes: true })
export type Progress = z.infer<typeof Progress>

/** `POST /executions/:id/commands`: done once for each command id. */
export const KeeperCommand = z.object({
  epoch: z.int(),
  id: Id,
  type: z.enum(['message', 'answer', 'interrupt', 'cancel', 'mode']),
  payload: z.unknown(),
})
export type KeeperCommand = z.infer<typeof KeeperCommand>

/** `refused`: this agent cannot take it, or is gone. */
export const CommandOutcome = z.object({
  outcome: z.enum(['delivered', 'refused']),
  /** What a message became of: `steered` changes the turn under way, `queued` waits for its end. */
  how: z.enum(['steered', 'queued']).optional(),
  /** Refused because the turn was over: the next one may take it. */
  tooLate: z.boolean().optional(),
  reason: z.string().optional(),
})
export type CommandOutcome = z.infer<typeof CommandOutcome>

/** `POST /shutdown`: ends every execution with this reason, proves it, answers, and exits. */
export const Shutdown = z.object({
  reason: z.string(),
  graceMs: z.int(),
  /** Refused with 409 when it keeps anything: for those who only think that it is idle. */
  unlessBusy: z.boolean().optional(),
})
export type Shutdown = z.infer<typeof Shutdown>

export const EndReason = z.enum([
  /** By itself. */
  'exited',
  /** The turn is over; the agent lives on. */
  'turn_completed',
  /** The agent says that it could not. */
  'turn_failed',
  /** Somebody interrupted it; the agent lives on. */
  'turn_interrupted',
  /** What it may spend is spent: turns, tokens or dollars. */
  'budget',
  /** It could not be started. */
  'not_started',
  'cancelled',
  'timed_out',
  'output_limit',
  /** The keeper was told to stop everything. */
  'shutdown',
  /** It outlived SIGKILL. */
  'not_killed',
  /** Told by a worker: the keeper was gone, and what it ran is dead. */
  'keeper_died',
  /** Told by whoever waited: nobody knows. */
  'machine_lost',
])
export type EndReason = z.infer<typeof EndReason>

const recorded = { offset: z.int(), at: Time }

/** One line of the spool, `<executionId>.ndjson` in the keeper's folder. Offsets begin at 1 and have no gaps. */
export const SpoolRecord = z.discriminatedUnion('type', [
  z.object({
    ...recorded,
    type: z.literal('started'),
    payload: z.object({ pid: z.int(), tmuxSession: z.string().optional() }),
  }),
  z.object({
    ...recorded,
    type: z.literal('data-terminal'),
    payload: z.object({ stream: LogStream, chunk: z.string() }),
  }),
  z.object({ ...recorded, type: z.literal('chunk'), payload: Chunk }),
  z.object({
    ...recorded,
    type: z.literal('approval'),
    payload: ApprovalAsked.extend({ inputHash: z.string() }),
  }),
  /** The agent does not wait for an answer any more. */
  z.object({
    ...recorded,
    type: z.literal('withdrawn'),
    payload: z.object({ requestId: z.string(), reason: z.string() }),
  }),
  z.object({ ...recorded, type: z.literal('session'), payload: SessionFacts }),
  z.object({ ...recorded, type: z.literal('usage'), payload: Usage }),
  z.object({
    ...recorded,
    type: z.literal('ended'),
    payload: z.object({
      reason: EndReason,
      exitCode: z.int().nullable(),
      signal: z.string().nullable(),
      /** One line for people, when it did not simply exit. */
      message: z.string().nullable(),
    }),
  }),
])
export type SpoolRecord = z.infer<typeof SpoolRecord>
