import type { CommandAsked } from '#contract/workspace-tool.ts'
import type { Tools } from './open-tools.ts'

/** The tools for those inside, with no person in between. */
export type UnattendedTools = Pick<Tools, 'call' | 'stream'>

/** What a rule would ask a person for is refused, whatever the caller says of having been confirmed. */
export function unattended(tools: UnattendedTools): UnattendedTools {
  return {
    call: (tool, input, signal) =>
      tools.call(tool, tool === 'command' ? { ...given(input), confirm: false } : input, signal),
    stream: (input, signal) => tools.stream({ ...given(input), stream: true, confirm: false }, signal),
  }
}

/** As it came, and as the tools will check it. */
const given = (input: unknown): CommandAsked => input as CommandAsked
