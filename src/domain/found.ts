import type { Agent } from '#contract/agent.ts'
import type { Capability } from '#contract/capability.ts'
import type { FoundProgram } from '#contract/discovery.ts'

const longestName = 100

/** What the agent of a program is called: as the program, unless somebody else is called so. */
export function agentName(program: string, machine: string, attempt: number): string {
  if (attempt === 0) return program.slice(0, longestName)
  const more = attempt === 1 ? ` on ${machine}` : ` on ${machine} (${attempt})`
  return program.slice(0, Math.max(1, longestName - more.length)) + more.slice(0, longestName - 1)
}

/** Whether an agent that runs the same program on the same machine is what confirming it would make. */
export const isAgentOf = (
  agent: Pick<Agent, 'preset' | 'adapter'>,
  program: Pick<FoundProgram, 'preset'>,
): boolean =>
  program.preset === null
    ? agent.adapter === 'template' && agent.preset === null
    : agent.preset === program.preset

/** Whether it can only be run as a whole: otherwise it is known what it can be asked for, and nothing is added later. */
export const isStillBare = (capabilities: readonly Pick<Capability, 'key'>[]): boolean =>
  capabilities.length === 1 && capabilities[0]?.key === 'run'
