import type { Greeting } from '#contract/keeper.ts'
import type { Program, RunningProgram } from '#lib/program.ts'

/** What encloses a workspace: how a process is started in it, and how all that came of it is ended. */
export interface Boundary {
  /** What is really used; never promised and then done without. */
  isolation: Greeting['isolation']
  /** Rejects with NotStarted. The mark is added to the environment of the program, and so of all its descendants. */
  start(program: Program, mark: string): Promise<EnclosedProgram>
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
