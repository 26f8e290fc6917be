import type { ProgramClass, ProgramSchema, ScanStage, PackageSource } from '#contract/discovery.ts'
import type { AgentPreset } from '#contract/agent.ts'
import type { CreateCapability } from '#contract/capability.ts'

/** Says what is on PATH of the machine that it is opened on, and what each program can be asked for. */
export interface Discovery {
  /**
   * Stages one to three over every folder: who is there, whose it is, what it is. What cannot be looked at is in `troubles`; it
   * rejects only for want of memory or when `signal` says so. What has not changed since the last look of this Discovery
   * is not looked at again.
   */
  look(folders: readonly string[], how: LookHow): Promise<Look>
  /**
   * Stage four for one program, by the best source there is. Never runs it but inside walls without network and with an
   * empty home, for 2 s at most; where such walls cannot be had it is not run. Rejects with an Error that says why nothing is known.
   * Without a model it takes half a minute at most, however busy the machine is.
   */
  describe(program: SeenProgram, how?: DescribeHow): Promise<ProgramSchema>
  /** Stage five: what people here call and use, by the shells' own files. Never rejects. */
  habits(home: string): Promise<Habits>
  /** The version that a program tells of itself, in the same walls; undefined when it does not. */
  version(program: SeenProgram, signal?: AbortSignal): Promise<string | undefined>
  /** Ends what runs on its behalf. */
  close(): Promise<void>
}

export interface DescribeHow {
  model?: AskModel
  signal?: AbortSignal
  /**
   * Told why the program could not be asked, when that has nothing to do with it: there are no walls, or not in time. What is
   * answered then, if anything, is not all that there is to know: it is worth asking again another time.
   */
  onUnasked?: (why: string) => void
}

export interface LookHow {
  signal?: AbortSignal
  onProgress?: (stage: ScanStage, done: number, total: number) => void
}

export interface Look {
  programs: SeenProgram[]
  troubles: { path: string; reason: string }[]
}

export interface SeenProgram {
  /** As it is called: the first of its name on PATH. */
  path: string
  name: string
  realPath: string
  package: string | null
  packageSource: PackageSource
  /** As its package says. */
  version: string | null
  /** One line of its manual page or package. */
  description: string | null
  class: ProgramClass
  confidence: number
  preset: AgentPreset | null
  /** Of the program as a whole, without looking at what it can be asked for. */
  danger: number
}

export interface Habits {
  /** How often a program's name begins a command in the histories. */
  uses: ReadonlyMap<string, number>
  /** What a name stands for: `gs` is `git`. */
  aliases: ReadonlyMap<string, string>
}

/** Asks a model one question, and answers with its words. Handed in, and only used for whoever asked for it. */
export type AskModel = (question: string, signal: AbortSignal) => Promise<string>

/** Stage six, pure: what a program becomes when somebody says yes. */
export type CapabilitiesOf = (
  name: string,
  schema: ProgramSchema | null,
  danger: number,
) => CreateCapability[]

/** Whoever looks has ended before it answered. That says nothing of the program that it was asked about. */
export class LookerLost extends Error {}
