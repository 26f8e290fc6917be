import type { Asked, Call, Tool } from './dialect.ts'
import type { Step } from './script.ts'

const shells = ['Bash', 'bash', 'exec_command', 'shell_command', 'shell', 'run_shell_command']

/** The calls that a step means, in the words of the tools that the agent offers. */
export function callsFor(step: Step, { tools }: Asked): Call[] {
  const offered = (wanted: string): Tool =>
    tools.find(({ name }) => name.endsWith(wanted)) ?? missing(wanted, tools)
  const { type } = step
  if (type === 'bash') {
    const [tool] = shells.flatMap((name) => tools.filter((one) => one.name === name))
    return [call(tool ?? missing('that runs commands', tools), commandFor(step.command, tool))]
  }
  if (type === 'call' || type === 'loop') return [call(offered(step.tool), step.input)]
  if (type === 'calls') return step.calls.map(([tool, input]) => call(offered(tool), input))
  if (type === 'unknown') return [call({ name: step.tool, properties: {} }, step.input)]
  if (type === 'broken') return [{ ...call(offered(step.tool), {}), broken: step.text }]
  if (type !== 'twins') return []
  const twin = call(offered(step.tool), step.input)
  return [twin, twin]
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
