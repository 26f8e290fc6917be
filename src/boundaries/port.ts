import type { Greeting } from '#contract/keeper.ts'
import type { Program, RunningProgram } from '#lib/program.ts'

/** What encloses a workspace: how a process is started in it, and how all that came of it is ended. */
export interface Boundary {
  /** What is really used; never promised and then done without. */
  isolation: Greeting['isolation']
  /** Rejects with NotStarted. The mark is added to the environment of the program, and so of all its descendants. */
  start(program: Program, mark: string): Promise<EnclosedProgram>
  /** The same for a program that something else starts, on a terminal of its own. */
  enter(program: Program, mark: string): Promise<Entry>
}

/** Where a program will run that has not begun. */
export interface Entry {
  /** The command line that runs it in there: what executes it needs the program's environment, the mark and its folder. */
  words: readonly string[]
  /** It has begun. `pid` is that of the process that became the command line; `exited` tells when that one has ended. */
  begun(pid: number, exited: Promise<unknown>): Promise<Pick<EnclosedProgram, 'pid' | 'end'>>
  /** It will not begin. */
  close(): void
}

export interface EnclosedProgram extends RunningProgram {
  /**
   * Asks the program and all its descendants to end, kills what is left after `graceMs`, and looks for proof. False when
   * something outlived SIGKILL; true at once when nothing is left. The first call decides the grace. Never rejects.
   */
  end: (graceMs: number) => Promise<boolean>
}

/** The host's hands. `through` are the words of a command that runs the program in another place. */
export type StartProgram = (program: Program, through?: readonly string[]) => Promise<RunningProgram>
