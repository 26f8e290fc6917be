import type { Readable, Writable } from 'node:stream'

/** What is to run. No shell reads any of it. */
export interface Program {
  /** Absolute. */
  file: string
  argv: readonly string[]
  /** All of it: nothing of ours is added. */
  env: Readonly<Record<string, string>>
  cwd: string
  /** Whether it is to be written to; else its stdin is empty. */
  takesInput?: boolean
}

/** One of the two is null: it ended by itself, or by a signal. */
export interface ProgramEnd {
  exitCode: number | null
  signal: string | null
}

export interface RunningProgram {
  pid: number
  /** Null unless the program takes input. */
  stdin: Writable | null
  stdout: Readable
  stderr: Readable
  /** Never rejects. Its output may still be on the way. */
  exited: Promise<ProgramEnd>
}

export interface EnclosedProgram extends RunningProgram {
  /**
   * Asks the program and all its descendants to end, kills what is left after `graceMs`, and looks for proof. False when
   * something outlived SIGKILL; true at once when nothing is left. The first call decides the grace. Never rejects.
   */
  end: (graceMs: number) => Promise<boolean>
}

/** The system did not let it begin; the message says what and why. */
export class NotStarted extends Error {}
