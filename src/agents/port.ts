import type { Readable } from 'node:stream'
import type {
  ApprovalAnswer,
  ApprovalAsked,
  Chunk,
  Prompt,
  SessionFacts,
  Usage,
} from '#contract/agent-event.ts'
import type { CommandOutcome, Launch, TurnAsked } from '#contract/keeper.ts'
import type { Program, ProgramEnd, RunningProgram } from '#lib/program.ts'

// Two kinds of agent: those whose program is one execution (`template`, `terminal`), and those that hold a session and live
// from turn to turn (`claude`, `codex`, `acp`).

/** Starts a program inside the workspace's boundary. Rejects with NotStarted. */
export type StartEnclosed = (program: Program) => Promise<EnclosedAgent>

export interface EnclosedAgent extends RunningProgram {
  /** Ends it with all its descendants. False when something outlived SIGKILL. Never rejects. */
  end: (graceMs: number) => Promise<boolean>
}

/** Starts a program inside the workspace's boundary, on a terminal of its own that people can attach to. Rejects with NotStarted. */
export type OpenTerminal = (program: Program) => Promise<Terminal>

export interface Terminal {
  pid: number
  /** The name by which it is attached to. */
  name: string
  /** Every byte that is written to it, until all is told. */
  output: Readable
  /** Never rejects. Output may still be on the way. */
  exited: Promise<TerminalEnd>
  /** Resolves once nothing of it is left but what was told: not before `output` is closed. Never rejects. */
  gone: Promise<void>
  /** As if somebody typed it; what has several lines is pasted. Rejects when the terminal is gone. */
  type(text: string): Promise<void>
  /** Keys by the names that tmux has for them: `Enter`, `Escape`, `C-c`. Rejects when the terminal is gone. */
  press(...keys: string[]): Promise<void>
  /** Ends the program with all its descendants. False when something outlived SIGKILL. Never rejects. */
  end: (graceMs: number) => Promise<boolean>
}

export interface TerminalEnd extends ProgramEnd {
  /** One line: how the terminal itself was lost, if it was. */
  message: string | null
  /** What stood on the screen. */
  screen: string
}

export interface Output {
  type: 'data-terminal'
  stream: 'stdout' | 'stderr'
  bytes: Buffer
}

/** One for each kind of program: it is started, and when it has ended so has the execution. */
export interface ProgramAdapter {
  start(launch: Launch, hands: ProgramHands): Promise<RunningAgent>
}

export interface ProgramHands {
  start: StartEnclosed
  openTerminal: OpenTerminal
}

/** What can be told to an agent; cancelling is not its to decide. */
export type Instruction =
  | { type: 'message'; payload: Prompt }
  | { type: 'answer'; payload: ApprovalAnswer }
  | { type: 'interrupt'; payload: unknown }
  | { type: 'mode'; payload: { model?: string; mode?: string } }

export interface RunningAgent {
  pid: number
  /** Where people can attach to it. */
  tmuxSession?: string
  /** In order, and nothing is read ahead of who takes them, save a little. Never throws; ends after the last output. */
  events: AsyncIterable<Output>
  /** Never rejects. Events may still be on the way. `message` says in one line what the end alone does not tell. */
  exited: Promise<ProgramEnd & { message?: string | null }>
  /** Another message, an answer, an interrupt, another mode. Never rejects: what cannot be taken is refused. */
  tell(instruction: Instruction): Promise<CommandOutcome>
  /** Ends it with all its descendants. False when something outlived SIGKILL. Never rejects. */
  stop(graceMs: number): Promise<boolean>
  /** Once it is dead: lets `events` end soon, also when a stranger holds its output open. What was said is still told. */
  hangUp(): void
}

/** One for each protocol. */
export interface SessionAdapter {
  /** Starts the agent and its session: resumed if it can be, else loaded, else new, and said so. Rejects with NotStarted. */
  open(launch: SessionLaunch, hands: Hands): Promise<SessionAgent>
}

export type SessionLaunch = Launch & { turn: TurnAsked }

export interface Hands {
  start: StartEnclosed
  /** Notes a line of the protocol as it went over the wire; `in` is what we wrote. */
  frame: (direction: 'in' | 'out' | 'err', line: string) => void
}

/** What an agent says in a turn. */
export type AgentEvent =
  | { type: 'chunk'; chunk: Chunk }
  | { type: 'approval'; approval: ApprovalAsked }
  | { type: 'withdrawn'; requestId: string; reason: string }
  | { type: 'session'; facts: SessionFacts }
  | { type: 'usage'; usage: Usage }
  /** Bytes beside the protocol: what it writes to stderr. */
  | Output

/** Takes it at once. Resolves when it is time for more: an adapter that reads on only then makes the agent wait in its own write. */
export type Say = (event: AgentEvent) => Promise<void>

export interface TurnEnd {
  reason: 'completed' | 'failed' | 'interrupted'
  /** One line: what went wrong. */
  message: string | null
}

/** An agent that lives and holds a session. */
export interface SessionAgent {
  pid: number
  /** Never rejects. */
  exited: Promise<ProgramEnd>
  /**
   * One turn, and every message that was queued during it. All that the agent says goes to `say`, in order, with every part
   * that was opened closed again; what it said since the last turn comes first. One turn at a time. Never rejects: should the
   * agent die in the middle, it resolves as `failed` once all it said was told.
   */
  turn(prompt: Prompt, say: Say): Promise<TurnEnd>
  /** During a turn, or (mode) between two. Never rejects: what cannot be taken is refused, with the reason. */
  tell(instruction: Instruction): Promise<CommandOutcome>
  /** Ends it with all its descendants. False when something outlived SIGKILL. Never rejects. */
  stop(graceMs: number): Promise<boolean>
}
