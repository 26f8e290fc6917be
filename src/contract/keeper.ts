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

/** Where an agent finds our tools, and by which token it is known there. */
export const OwnTools = z.object({
  url: z.string(),
  token: z.string(),
  /** Speaks for the same by stdin and stdout, to those that take no HTTP; none where it cannot be reached. */
  program: z.object({ command: z.string(), args: z.array(z.string()) }).optional(),
})
export type OwnTools = z.infer<typeof OwnTools>

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
  /** Our own endpoint. What is started for this turn gets it; whatever lives already has the token that it was started with. */
  ownTools: OwnTools.nullable().optional(),
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
  /** Of it and all that it starts, together; where walls stand these hold their own limit. */
  memoryMb: z.int().optional(),
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

/** `POST /sessions/:id/shell`: a shell inside the boundary, in a terminal, once. `:id` is a session's, or the workspace's own. */
export const AskShell = TakeOver.extend({
  /** It ends when nobody has looked at it for so long. */
  unseenMs: z.int(),
})
export type AskShell = z.infer<typeof AskShell>

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

/** An agent between or in turns, and the execution that it was started for. */
export const LivingAgent = z.object({ sessionId: Id, pid: z.int(), startedFor: Id.optional() })
export type LivingAgent = z.infer<typeof LivingAgent>

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
  agents: z.array(LivingAgent).default([]),
  terminals: z.array(KeptTerminal).default([]),
  shells: z.array(KeptTerminal).default([]),
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
  /** `hold`: a person is asked on its behalf, and the time-out stands still; `go_on`: not any more. Both with a `requestId`. */
  type: z.enum(['message', 'answer', 'interrupt', 'cancel', 'mode', 'hold', 'go_on']),
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
  /** It and what it has started had more memory than they may. */
  'memory_limit',
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
    payload: z.object({
      pid: z.int(),
      tmuxSession: z.string().optional(),
      /** The execution that the agent's process was started for: this one, or an earlier one of its session. */
      startedFor: Id.optional(),
    }),
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
    payload: ApprovalAsked.extend({
      inputHash: z.string(),
      /** It is about a tool of our own endpoint, which asks for itself. */
      isOwnTool: z.boolean().optional(),
    }),
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
      /** The agent that could have stayed for the next turn is gone too. */
      isAgentGone: z.boolean().optional(),
    }),
  }),
])
export type SpoolRecord = z.infer<typeof SpoolRecord>
