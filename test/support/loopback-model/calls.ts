import type { Asked, Call, Tool } from './dialect.ts'
import type { Step } from './script.ts'

const shells = ['Bash', 'bash', 'exec_command', 'shell_command', 'shell', 'run_shell_command']

/** The calls that a step means, in the words of the tools that the agent offers. */
export function callsFor(step: Step, { tools }: Asked): Call[] {
  const offered = (wanted: string): Tool =>
    tools.find(({ name }) => name.endsWith(wanted)) ?? missing(wanted, tools)
  switch (step.type) {
    case 'bash': {
      const [tool] = shells.flatMap((name) => tools.filter((one) => one.name === name))
      return [call(tool ?? missing('that runs commands', tools), commandFor(step.command, tool))]
    }
    case 'call':
    case 'loop':
      return [call(offered(step.tool), step.input)]
    case 'calls':
      return step.calls.map(([tool, input]) => call(offered(tool), input))
    case 'twins': {
      const twin = call(offered(step.tool), step.input)
      return [twin, twin]
    }
    case 'unknown':
      return [call({ name: step.tool, properties: {} }, step.input)]
    case 'broken':
      return [{ ...call(offered(step.tool), {}), broken: step.text }]
    default:
      return []
  }
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
