import type { Asked, Call, Tool } from './dialect.ts'
import type { Step } from './script.ts'

const shells = ['Bash', 'bash', 'exec_command', 'shell_command', 'shell', 'run_shell_command']

/** The call that a step means, in the words of the tools that the agent offers. */
export function callFor(step: Step, { tools }: Asked): Call | undefined {
  if (step.type === 'bash') {
    const tool = shells.flatMap((name) => tools.filter((offered) => offered.name === name))[0]
    return call(tool ?? missing('that runs commands', tools), commandFor(step.command, tool))
  }
  if (step.type !== 'call') return undefined
  const tool = tools.find(({ name }) => name.endsWith(step.tool))
  return call(tool ?? missing(step.tool, tools), step.input)
}

const call = (tool: Tool, input: object): Call => ({ id: `call_${crypto.randomUUID()}`, tool, input })

function missing(what: string, tools: Tool[]): never {
  throw new Error(`No tool ${what} is offered, only ${tools.map(({ name }) => name).join(', ')}`)
}

function commandFor(command: string, tool: Tool | undefined): object {
  const { cmd, command: asCommand, description } = tool?.properties ?? {}
  return {
    ...(cmd ? { cmd: command } : {}),
    ...(!cmd && { command: asCommand?.type === 'array' ? ['bash', '-c', command] : command }),
    ...(description && { description: 'Run a command' }),
  }
}
