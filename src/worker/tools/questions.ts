import type { ToolQuestion } from '#flows/ask-tool-approval.ts'
import { OWN_SERVER } from '#contract/keeper-protocol.ts'
import { inertLine } from '#lib/inert-text.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import type { ApprovalQuestion, Caller, InputRequest } from '#tools/port.ts'

type AgentCaller = Extract<Caller, { kind: 'agent' }>

/** People are shown this much of what a tool is called with. */
const mostShown = 65_536
const places = ['path', 'file_path', 'url']
/** Rules know what it runs as `command`, whoever runs it. */
const runsCommands = 'workspace.execute_command'

/** Whether an agent may call this tool with these arguments. */
export function callQuestion({ caller, tool, args, isChanged, isExempt }: ApprovalQuestion): ToolQuestion {
  const { name, wireName, annotations, description, inputSchema } = tool
  const asked = isChanged ? { arguments: args, definition: { description, inputSchema, annotations } } : args
  const natural = tool.source === 'workspace' ? subjectIn(args) : undefined
  const readOnly = annotations.readOnlyHint === true && annotations.destructiveHint !== true
  const what = natural ? `${name}: ${natural.subject}` : name
  return {
    ...whose(caller),
    kind: 'tool',
    tool: name,
    title: oneLine(isChanged ? `${what}, whose definition has changed since it was accepted` : what),
    input: bounded(asked),
    inputHash: hashOfInput({ tool: name, input: asked }),
    subject: null,
    ...natural,
    readOnly,
    danger: readOnly ? 0 : annotations.destructiveHint === true ? 2 : 1,
    isForAPerson: isChanged,
    isExempt,
    ...(name === runsCommands && { alias: 'command' }),
    otherNames: [`mcp__${OWN_SERVER}__${wireName}`, `${OWN_SERVER}.${wireName}`],
  }
}

/** What an upstream wants to know of a person before it goes on; nothing when it is not for people. */
export function formQuestion(
  caller: AgentCaller,
  { method, params = {} }: InputRequest,
): ToolQuestion | undefined {
  if (method !== 'elicitation/create') return undefined
  const { message, requestedSchema, url } = params
  if (!isRecord(requestedSchema) && typeof url !== 'string') return undefined
  const input = isRecord(requestedSchema) ? { message, schema: requestedSchema } : { message, url }
  return {
    ...whose(caller),
    kind: 'question',
    tool: 'question',
    title: oneLine(typeof message === 'string' && message ? message : 'A tool asks'),
    input: bounded(input),
    inputHash: hashOfInput({ tool: 'question', input }),
    subject: null,
    readOnly: false,
    danger: 1,
    ...(isRecord(requestedSchema) && { schema: requestedSchema }),
    isForAPerson: true,
    otherNames: [],
  }
}

const whose = ({ executionId, sessionId, agentId }: AgentCaller) => ({ executionId, sessionId, agentId })

/** What our own tools are about: a command, or a place. */
function subjectIn(args: Record<string, unknown>): { subject: string; isPlace?: boolean } | undefined {
  const { command } = args
  if (typeof command === 'string') return { subject: command }
  const place = places.map((name) => args[name]).find((value) => typeof value === 'string')
  return place === undefined ? undefined : { subject: place, isPlace: true }
}

function bounded(input: unknown): unknown {
  const text = JSON.stringify(input)
  return text.length <= mostShown ? input : { beginning: text.slice(0, mostShown), characters: text.length }
}

const oneLine = (text: string): string => inertLine(text).slice(0, 300)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
