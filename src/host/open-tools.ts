import type { CommandRule } from '#contract/host.ts'
import type { CommandAsked, CommandPiece, ToolName } from '#contract/workspace-tool.ts'
import type { EnclosedProgram, Program } from '#lib/program.ts'
import { ToolRefused } from '#lib/tool-refused.ts'

/** What the tools of one workspace work with. */
export interface ToolSurroundings {
  /** The root, as it is called where we are. */
  root: string
  rg: string | null
  /** A private folder, outside the root, for outputs that are too long to be answered whole. */
  scratch: string
  /** What a command knows of the machine; its own variables come on top. */
  env: Readonly<Record<string, string>>
  commandRules: () => readonly CommandRule[]
  /** The hands. Rejects with NotStarted. */
  start(program: Program, mark: string): Promise<EnclosedProgram>
}

export interface Tools {
  /** Rejects with ToolRefused. */
  call(tool: ToolName, input: unknown, signal: AbortSignal): Promise<object>
  /** Never rejects: the last piece is `result` or `error`. */
  stream(input: CommandAsked, signal: AbortSignal): AsyncIterable<CommandPiece>
  /** Ends what still runs, and removes what was kept. */
  close(): Promise<void>
}

export function openTools(_surroundings: ToolSurroundings): Tools {
  throw new ToolRefused('workspace_busy', 'not built yet')
}
