import type { CommandOutcome, KeeperCommand, Launch } from '#contract/keeper.ts'
import type { Program, ProgramEnd, RunningProgram } from '#lib/program.ts'

/** One for each kind of agent: translates between its protocol and ours. */
export interface AgentAdapter {
  /** Starts, or resumes, with what the launch says. Rejects with NotStarted. */
  start(launch: Launch, start: StartEnclosed): Promise<RunningAgent>
}

/** Starts a program inside the workspace's boundary. */
export type StartEnclosed = (program: Program) => Promise<EnclosedAgent>

export interface EnclosedAgent extends RunningProgram {
  end: (graceMs: number) => Promise<boolean>
}

export interface AgentEvent {
  type: 'data-terminal'
  stream: 'stdout' | 'stderr'
  bytes: Buffer
}

/** What can be told to an agent; cancelling is not its to decide. */
export type Instruction = Pick<KeeperCommand, 'payload'> & {
  type: Exclude<KeeperCommand['type'], 'cancel'>
}

export interface RunningAgent {
  pid: number
  /** In order, and nothing is read ahead of who takes them, save a little. Never throws; ends after the last output. */
  events: AsyncIterable<AgentEvent>
  /** Never rejects. Events may still be on the way. */
  exited: Promise<ProgramEnd>
  /** Another message, an answer, an interrupt, another mode. Never rejects: what cannot be taken is refused. */
  tell(instruction: Instruction): Promise<CommandOutcome>
  /** Ends it with all its descendants. False when something outlived SIGKILL. Never rejects. */
  stop(graceMs: number): Promise<boolean>
  /** Once it is dead: lets `events` end soon, also when a stranger holds its output open. What was said is still told. */
  hangUp(): void
}
