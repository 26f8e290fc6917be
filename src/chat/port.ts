import type { ModelMessage } from 'ai'
import type { Chunk, PromptFile, Usage } from '#contract/agent-event.ts'
import type { AvailableModels, CheckedModels } from '#contract/model.ts'
import type { ModelProvider } from '#contract/settings.ts'

// Chat with models as the worker sees it, and what it needs from there. It knows no database and no registry.

/** A tool as a model is told of it. */
export interface ChatTool {
  name: string
  description: string
  inputSchema: Record<string, unknown>
}

/** A call that the model wants to be made. One that cannot be is told why, and so is the model. */
export interface WantedCall {
  toolCallId: string
  toolName: string
  input: unknown
  fault?: string
  /** Where it stood among the calls of its step, if some of them are settled already. */
  place?: Pick<InQueue, 'position' | 'total'>
}

/** What has come of a call. All of a step go back to the model together. */
export type CallOutcome =
  | { how: 'answered'; output: unknown; text: string; isError: boolean }
  /** Somebody, or a rule, said no. */
  | { how: 'refused'; reason: string }
  /** It came to nothing; the others go on. */
  | { how: 'failed'; message: string }

/** Which call of its step it is, from 1. */
export interface InQueue {
  position: number
  total: number
  /** So many characters of its answer are given at once: there is no room for more. */
  mostText: number
}

/** What a turn needs from outside. */
export interface TurnHands {
  /** In this order, and kept before anything that follows from it is done. */
  say(chunk: Chunk): void
  /** Resolves when everything that was said is kept. */
  kept(): Promise<void>
  tell(usage: Usage): void
  /** In brief: only those by which the others are found and called, where all of them would leave no room. */
  tools(inBrief?: boolean): readonly ChatTool[]
  /**
   * Asks whoever has to be asked, and does it. Rejects only when the signal is aborted. `onQueued` is called once its question stands in
   * the ledger, or it has begun without one: the next call is queued after it.
   */
  call(call: WantedCall, queue: InQueue, signal: AbortSignal, onQueued: () => void): Promise<CallOutcome>
  /** What people have said since it was asked the last time. */
  heard(): ModelMessage[]
}

export interface TurnLimits {
  outputTokens: number
  historyTokens: number
  historyMessages: number
  /** Whether the model may be asked to sum up what it is not shown any more. */
  summaries: boolean
  /** Null is without limit. */
  steps: number | null
  costUsd: number | null
  tokens: number | null
}

export interface TurnAskedOfModel {
  /** As somebody named it; null for the one that is set. */
  model: string | null
  system: string
  history: ChatHistory
  limits: TurnLimits
  signal: AbortSignal
}

export type TurnEnded =
  | { how: 'completed' }
  /** It may go no further: its steps or its money are used up. */
  | { how: 'limited'; message: string }
  | { how: 'failed'; message: string }

/** What was said in a session, as a model is shown it; put together from what its stream tells, event by event. */
export interface ChatHistory {
  readonly messages: readonly ModelMessage[]
  /** What the model has summed up of what came before the messages. */
  readonly summary: string | null
  /** What the turn that was cut off had used by then. */
  readonly used: Usage | null
  /** Calls that the model waits for: the turn was cut off there. */
  readonly open: readonly WantedCall[]
  /** Whether somebody has begun with it: it may have been done. */
  hasBegun(toolCallId: string): boolean
  /** Of all calls that there ever were, also where they are not shown any more: a question is bound to the id of its call. */
  readonly callIds: ReadonlySet<string>
  /** What people said in the middle of a turn, and no step has heard. */
  readonly unheard: readonly ModelMessage[]
  /** What a turn begins with. */
  takeMessage(text: string, files?: readonly PromptFile[]): void
  /** What was said in the middle of a turn. It counts once it was delivered. */
  takeWord(commandId: string, text: string, files?: readonly PromptFile[]): void
  takeDelivery(commandId: string, isDelivered: boolean): void
  take(chunk: Chunk): void
}

export interface ModelNamed {
  provider: ModelProvider
  model: string
  /** `provider/model`. */
  name: string
}

export interface Chat {
  /** Which model is meant. Throws ModelUnavailable, which says what is missing. */
  choose(wanted: string | null): ModelNamed
  history(): ChatHistory
  /** A person's words, as a model is shown them. */
  words(text: string, files: readonly PromptFile[]): ModelMessage
  /** Asks the model again and again until it wants nothing more. When the signal is aborted it throws its reason. */
  takeTurn(asked: TurnAskedOfModel, hands: TurnHands): Promise<TurnEnded>
  available(isFresh: boolean): Promise<AvailableModels>
  check(isFresh: boolean): Promise<CheckedModels>
}

/** Why a model cannot be asked, and what to do about it. */
export class ModelUnavailable extends Error {
  /** The variables of which one is missing. */
  readonly variables: readonly string[]
  constructor(message: string, variables: readonly string[]) {
    super(message)
    this.name = 'ModelUnavailable'
    this.variables = variables
  }
}
