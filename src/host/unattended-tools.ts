import type { CommandAsked, CommandPiece, ToolName } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Tools } from './open-tools.ts'

/** The tools for those inside, with no person in between. */
export type UnattendedTools = Pick<Tools, 'call' | 'stream'>

/** Nobody is there who could be asked: what a rule would ask a person for is refused, whatever the caller says of being sure. */
export function unattended(tools: UnattendedTools): UnattendedTools {
  return {
    async call(tool: ToolName, input: unknown, signal: AbortSignal): Promise<object> {
      try {
        return await tools.call(tool, tool === 'command' ? unconfirmed(input) : input, signal)
      } catch (error) {
        throw error instanceof ToolRefused && error.code === needsPerson ? refused() : error
      }
    },
    async *stream(input: CommandAsked, signal: AbortSignal): AsyncIterable<CommandPiece> {
      for await (const piece of tools.stream(
        { ...(unconfirmed(input) as CommandAsked), stream: true },
        signal,
      ))
        if (piece.type === 'error' && piece.error.code === needsPerson) {
          const { code, message } = refused()
          yield { type: 'error', error: { code, message } }
        } else yield piece
    },
  }
}

const needsPerson = 'command_needs_confirm'

const refused = () =>
  new ToolRefused(
    'command_refused',
    'A rule of this workspace asks a person before such a command runs, and in here nobody can be asked. Run it through Signalbox.',
  )

function unconfirmed(input: unknown): unknown {
  if (typeof input !== 'object' || input === null) return input
  const { confirm: _, ...rest } = input as { confirm?: unknown }
  return rest
}
