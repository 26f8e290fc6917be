import type { SourceConfig, SourceHealth } from '#contract/source.ts'
import type { NameCollision, ReadResult, Tool, ToolResult } from '#contract/tool.ts'

// The registry of tools as others see it, what a source is to the registry, and what the registry needs from outside.

/** Who calls. A person is asked by nobody else; what an agent calls goes through the ledger of approvals, and so does what code calls. */
export type Caller = (
  | {
      kind: 'person'
      id: string
      /** What grants may call them by, besides their id. */
      name?: string
      isOwner: boolean
      /** What their token opens (`board`, `run`): some tools of ours are for these only. The owner needs none. */
      scopes?: readonly string[]
      sessionId?: string
      confirmed?: boolean
    }
  | {
      kind: 'agent'
      /** `agent:` and its id. */
      id: string
      agentId: string
      agentName: string
      /** Patterns of tools that it may use; none: all that are granted to agents. */
      allowedTools: readonly string[]
      sessionId: string
      /** The one that is live now. */
      executionId: string
      /** Whose session it is: upstream tokens are theirs. */
      onBehalfOf: string
      /** A call that a model wants, by its chat here. */
      inChat?: InChat
    }
) & {
  /** Their code calls, and they wait for its result alone. */
  inCode?: InCode
}

/** Which call of a model's step it is: its question is asked once, however often this worker is killed meanwhile. */
export interface InChat {
  toolCallId: string
  /** Of how many, from 1. */
  position: number
  total: number
  /** So many characters of its answer are given at once; the rest is kept to be read on. */
  mostText?: number
  /** Its question stands in the ledger. */
  onAsked?: () => void
}

/** A call that code makes. Nobody waits for a person meanwhile: what has to be asked rejects with CallFailed `awaits_person`. */
export interface InCode {
  runId: string
  call: number
  /** A person has said yes to exactly this (the hash of what was asked). */
  consent?: (Consent & { inputHash: string }) | undefined
  /** The paths of the workspace that a file may be written in by this call. Not said: all that the tool can reach. */
  within?: readonly string[]
}

/** What an upstream wants to know before it goes on, as MCP says it (`elicitation/create`, `sampling/createMessage`, `roots/list`). */
export interface InputRequest {
  method: string
  params?: Record<string, unknown>
}
/** Who wants to know it, in the middle of what: of a call (`github.create_issue`), or of another request (`github prompts/get`). */
export interface AskedBy {
  source: string
  doing: string
}
/** The result of such a request, as MCP has it. */
export type InputResponse = Record<string, unknown>

export interface Progress {
  progress: number
  total?: number
  message?: string
}

/** What is in reach of one call. */
export interface CallHands {
  signal: AbortSignal
  onProgress?: (progress: Progress) => void
  /** A log message of the upstream, as MCP has it. */
  onLog?: (params: Record<string, unknown>) => void
  /**
   * Asks whoever called. Where it is missing, or rejects, the upstream is told that nobody is there to answer. By whom is said by the
   * registry, whatever a source says.
   */
  ask?: (requests: Record<string, InputRequest>, by?: AskedBy) => Promise<Record<string, InputResponse>>
  /** For our own tools: the time of the call stands still while a person is asked. */
  whileAsking?: <Result>(asking: () => Promise<Result>) => Promise<Result>
  /** Awaited once, right before the source is called for the first time. When it rejects, nothing is sent, and the call rejects with that. */
  beforeSend?: () => Promise<void>
  /** `_meta` of the request, as far as it is the caller's to say (trace context). */
  meta?: Record<string, unknown>
}

/** One tool as its source tells it; the registry makes a Tool of it. */
export interface OfferedTool {
  /** As the source calls it. */
  name: string
  title?: string
  description?: string
  inputSchema: Record<string, unknown>
  outputSchema?: Record<string, unknown>
  annotations?: Record<string, unknown>
  version?: string
  tags?: readonly string[]
  deprecated?: boolean
  /** For the person or agent only that this is true of; all others do not see it. */
  isFor?: (caller: Caller) => boolean
  /** Asked about only where a rule says so: it is what a grant is for (`board`), or asks by itself. */
  needsNoApproval?: boolean
  /** By another registry, which the call goes through too: here it is not. */
  isAskedElsewhere?: boolean
  /** What a call is about, for the audit: a path, a command; never contents. */
  about?: (args: Record<string, unknown>) => Record<string, unknown>
}

/** A tool of our own. Its `run` rejects with CallFailed; any other error is a bug of ours, and told as one without its words. */
export interface NativeTool extends OfferedTool {
  /** The arguments fit the schema. */
  run(caller: Caller, args: Record<string, unknown>, hands: CallHands): Promise<ToolResult>
}

/** What native-source.ts makes a ToolSource of. */
export interface NativeTools {
  name: string
  description: string
  tools: readonly NativeTool[]
}

/** Where tools come from. Everything it says may change at any time; it says so. */
export interface ToolSource {
  readonly name: string
  readonly description: string
  /**
   * The tools it has now, in its order. Those of a caller, where they differ by caller (tokens of one's own). The same array as long as
   * they are the same: what is known of it is kept with it.
   */
  tools(caller?: Caller): readonly OfferedTool[]
  /** Where it has not told this caller its tools yet: resolves when it has; rejects with CallFailed when it cannot. */
  ready?(caller: Caller): Promise<void> | undefined
  /** Rejects with CallFailed; an answer `isError` is an answer. */
  call(caller: Caller, tool: string, args: Record<string, unknown>, hands: CallHands): Promise<ToolResult>
  health(): SourceHealth
  /** Resources, prompts, completion, subscriptions: any request of MCP that is not about tools, for pass-through. */
  request?(caller: Caller, method: string, params: unknown, hands: CallHands): Promise<unknown>
  /** What the upstream said it can do, as MCP has it. */
  capabilities?(): Record<string, unknown> | undefined
  instructions?(): string | undefined
  /** Told of changes: its tools, its health, or a notification of MCP (`notifications/resources/updated`). */
  onChange(listener: (change: SourceChange) => void): () => void
  close(): Promise<void>
}

export type SourceChange =
  | { kind: 'tools' }
  | { kind: 'health' }
  | { kind: 'notification'; method: string; params?: Record<string, unknown> }

/** Why a call came to nothing. */
export class CallFailed extends Error {
  readonly reason: CallFailure
  /** Nothing of it has reached the other side: it can be tried again whatever it is. */
  readonly isUnsent: boolean
  /** A `code` that is a number, and `data`, are those of the error with which an upstream answered. */
  readonly context: Record<string, unknown> | undefined
  /** How often the source was asked. */
  tries = 0

  constructor(
    reason: CallFailure,
    message: string,
    more: { isUnsent?: boolean; context?: Record<string, unknown> } = {},
  ) {
    super(message)
    this.name = 'CallFailed'
    this.reason = reason
    this.isUnsent = more.isUnsent ?? false
    this.context = more.context
  }
}

/** Each is a Problem of the contract in the worker (worker/tools/as-problem.ts). */
export type CallFailure =
  | 'tool_not_found'
  | 'source_not_found'
  | 'tool_not_granted'
  | 'tool_changed'
  | 'tool_refused'
  | 'bad_arguments'
  | 'too_many_calls'
  | 'tool_timed_out'
  | 'source_unavailable'
  | 'source_unauthorized'
  | 'source_failed'
  | 'answer_too_large'
  | 'cancelled'
  /** In code alone; `question` in its context is what is to be asked. Nothing was sent. */
  | 'awaits_person'

export interface FoundTool {
  name: string
  wireName: string
  description: string
  source: string
}

/** The one place through which every call of every tool goes. */
export interface Registry {
  /** What this caller may see, in a stable order. */
  list(caller: Caller): Tool[]
  /** By `namespace.tool`, by the name on the wire, or by the namespace, a dot, and what the source itself calls it. */
  find(caller: Caller, name: string): Tool | undefined
  search(caller: Caller, words: string, most: number): FoundTool[]
  /** Resolves when the source whose tool this may be has told this caller what it has. Rejects with CallFailed when it cannot. */
  ready(caller: Caller, name: string, hands: CallHands): Promise<void>
  /** Grants, arguments, approval, rate, concurrency, time-out, retry, audit, metrics. Rejects with CallFailed. */
  call(caller: Caller, name: string, args: Record<string, unknown>, hands: CallHands): Promise<ToolResult>
  /** A request of MCP that is not a call, to one source. Rejects with CallFailed. */
  request(caller: Caller, source: string, method: string, params: unknown, hands: CallHands): Promise<unknown>
  /** What follows in an answer that was too long to be given whole, wherever it is kept. Rejects with CallFailed. */
  readResult(caller: Caller, wanted: ReadResult): Promise<ToolResult>
  source(name: string): ToolSource | undefined
  /** Those that this caller may use. */
  sources(caller: Caller): ToolSource[]
  collisions(): NameCollision[]
  /** Their tools are those that can be called: some may be left out. */
  health(): SourceHealth[]
  healthOf(source: string): SourceHealth | undefined
  /** Puts a source in, in the place of one of the same name, which is closed. */
  put(source: ToolSource, settings: SourceSettings): void
  remove(name: string): Promise<void>
  /** What changed: the lists, the health, or a notification of one source. */
  onChange(listener: (source: string, change: SourceChange) => void): () => void
  /** The new definitions of a tool count from now on. */
  accept(name: string, by: string): Promise<void>
  /** For Prometheus: calls by source and what came of them, and how long they took. */
  metrics(): Promise<string>
  close(): Promise<void>
}

/** What the registry holds every call of a source to. */
export type SourceSettings = Pick<
  SourceConfig,
  'timeout' | 'retryPolicy' | 'rateLimit' | 'maxConcurrent' | 'grants' | 'tools'
> & {
  /** Native ones are ours: not pinned, and their namespace may be one that is reserved. */
  isNative?: boolean
}

/** What the registry needs from outside; main hands it in. */
export interface RegistryHands {
  /** Which definitions were accepted, by tool; whatever is not known yet is accepted at once, and kept. */
  pins: {
    of(source: string): Promise<ReadonlyMap<string, string>>
    put(
      source: string,
      pins: readonly { tool: string; hash: string; definition: unknown }[],
      by: string,
    ): Promise<void>
  }
  /**
   * Resolves when it may be done, with who said so, if a person did; rejects with CallFailed `tool_refused`. The time-out of the call
   * stands still meanwhile.
   */
  approve(question: ApprovalQuestion, signal: AbortSignal): Promise<Consent | void>
  /** Written down before anybody is answered. */
  note(entry: CallNote): Promise<void>
  /** Reads on in what the registry of another machine keeps. Rejects with CallFailed. */
  readElsewhere?(caller: Caller, machineId: string, wanted: ReadResult): Promise<ToolResult>
}

export interface ApprovalQuestion {
  caller: Caller
  tool: Tool
  args: Record<string, unknown>
  /** Its definition is not the one that was accepted: no rule lets that pass. */
  isChanged: boolean
  /** Nobody is asked about it, unless a rule says so. */
  isExempt: boolean
}

/** Who said yes. The owner's yes to a definition that has changed counts from then on; that of others for this one call. */
export interface Consent {
  by: string
  isOwner: boolean
}

export interface CallNote {
  caller: Caller
  tool: string
  source: string
  outcome: 'ok' | 'refused' | 'failed'
  /** A reason of CallFailed, or nothing. */
  code?: CallFailure
  durationMs: number
  /** Sizes, tries, never contents. */
  detail: Record<string, unknown>
}
