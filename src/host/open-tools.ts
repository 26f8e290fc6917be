import type { CommandRule } from '#contract/host.ts'
import type { CommandAsked, CommandPiece, ToolName } from '#contract/workspace-tool.ts'
import type { EnclosedProgram, Program } from '#lib/program.ts'
import { Confined } from './confined.ts'
import { refuseInput } from './tools/asked.ts'
import { commandAsked } from './tools/command-asked.ts'
import { Commands } from './tools/command.ts'
import { edit } from './tools/edit.ts'
import { sinceMs } from './tools/execution-time.ts'
import { FileCache } from './tools/file-cache.ts'
import { KeptOutputs } from './tools/kept-outputs.ts'
import { list } from './tools/list.ts'
import { read } from './tools/read.ts'
import { search } from './tools/search.ts'
import { streamCommand } from './tools/stream-command.ts'
import { write } from './tools/write.ts'

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

export function openTools(surroundings: ToolSurroundings): Tools {
  const files = new Confined(surroundings.root)
  const cache = new FileCache()
  const outputs = new KeptOutputs(surroundings.scratch)
  const commands = new Commands(surroundings, files, outputs)
  const tools: Record<ToolName, (input: unknown, signal: AbortSignal) => Promise<object>> = {
    search: (input, signal) => search(files, surroundings.rg, input, signal),
    read: (input, signal) => read(files, cache, input, signal),
    write: (input, signal) => write(files, input, signal),
    edit: (input) => edit(files, cache, input),
    list: (input) => list(files, input),
    command: (input, signal) => commands.run(commandAsked(input, false), signal),
    output: (input) => outputs.read(input),
  }
  return {
    async call(tool, input, signal) {
      const begun = performance.now()
      const use = Object.hasOwn(tools, tool) ? tools[tool] : refuseInput('tool', `there is no tool ${tool}`)
      return { ...(await use(input, signal)), executionTime: sinceMs(begun) }
    },
    stream: (input, signal) => streamCommand(commands, input, signal),
    async close() {
      await commands.close()
      outputs.close()
      cache.clear()
      files.close()
    },
  }
}
