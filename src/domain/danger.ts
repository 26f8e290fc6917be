import type { Agent } from '#contract/agent.ts'
import type { Capability } from '#contract/capability.ts'
import type { Task } from '#contract/task.ts'
import { argvOf, slotValues } from './template.ts'
import { isTurn, promptOf } from './turn.ts'

/** What a person is asked about before something dangerous begins. */
export interface Danger {
  tool: string
  /** The command line, or who is asked what. */
  title: string
  input: { command?: string[]; args: Record<string, unknown>; prompt: string | null }
}

/** What would run, with every value in its place. */
export function dangerOf(
  agent: Pick<Agent, 'name' | 'args' | 'binaryPath'>,
  capability: Pick<Capability, 'key' | 'interactionMode' | 'commandTokens' | 'promptTemplate' | 'argsSchema'>,
  { args, prompt }: { args: Record<string, unknown>; prompt?: string | null | undefined },
  task: Pick<Task, 'title' | 'description'> | null,
): Danger {
  const tool = `${agent.name}.${capability.key}`
  if (isTurn(capability)) {
    const words = promptOf(capability, args, prompt, task)
    return { tool, title: `${tool}: ${words}`, input: { args, prompt: words } }
  }
  const argv = argvOf(agent, capability, slotValues(args, prompt, task))
  const command = [agent.binaryPath ?? agent.name, ...argv]
  return { tool, title: command.map(quoted).join(' '), input: { command, args, prompt: prompt ?? null } }
}

/** As a shell would have to be told: one can see where an argument begins and ends. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
