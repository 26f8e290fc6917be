import type { Duplex } from 'node:stream'
import type { AppState, HostHealth } from '#contract/host.ts'
import type { Isolation } from '#contract/keeper.ts'
import type { CommandAsked, CommandPiece, ToolName } from '#contract/workspace-tool.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import type { EnclosedProgram, Program, RunningProgram } from '#lib/program.ts'

/** What keeps programs together: how one is started, and how all that came of it is ended. */
export interface Enclosure {
  /** What is really used; never promised and then done without. */
  isolation: Isolation
  /** Rejects with NotStarted. The mark is added to the environment of the program, and so of all its descendants. */
  start(program: Program, mark: string): Promise<EnclosedProgram>
  /** The same for a program that something else starts, on a terminal of its own. Rejects with NotStarted. */
  enter(program: Program, mark: string): Promise<Entry>
}

/** What encloses a workspace, with the tools that are in there. */
export interface Boundary extends Enclosure, HostTools {
  /** Resolves, with the reason, when the walls have come down by themselves. Whatever was inside is dead then, or being killed. */
  gone: Promise<string>
  /** Ends all that is inside and takes the walls down. False when something outlived SIGKILL. Never rejects. */
  close(graceMs: number): Promise<boolean>
}

/** The tools of a workspace, and what else its host does. */
export interface HostTools {
  /** Rejects with ToolRefused. What it answers is the contract's, as far as one can trust the inside. */
  call(tool: ToolName, input: unknown, signal: AbortSignal): Promise<object>
  /** A command that tells what it says while it runs. Never rejects: the last piece is `result` or `error`. */
  stream(input: CommandAsked, signal: AbortSignal): AsyncIterable<CommandPiece>
  /** A connection to a port inside. Rejects when nothing listens there. */
  connect(port: number): Promise<Duplex>
  health(): Promise<HostHealth>
  app(action: 'start' | 'stop' | 'restart'): Promise<AppState>
}

/** Opens the walls of a workspace. Rejects with NotStarted, and says what to do. */
export type OpenBoundary = (workspace: EnclosedSpec) => Promise<Boundary>

/** Takes a connection that came from inside, after its hello: for the proxy, or for a forward. */
export type TakeDial = (purpose: 'egress' | 'forward', connection: Duplex) => void

/** Where a program will run that has not begun. */
export interface Entry {
  /** The command line that runs it in there: what executes it needs the program's environment, the mark and its folder. */
  words: readonly string[]
  /** It has begun. `pid` is that of the process that became the command line; `exited` tells when that one has ended. */
  begun(pid: number, exited: Promise<unknown>): Promise<Pick<EnclosedProgram, 'pid' | 'end'>>
  /** It will not begin. */
  close(): void
}

/** The host's hands. `through` are the words of a command that runs the program in another place. */
export type StartProgram = (program: Program, through?: readonly string[]) => Promise<RunningProgram>
