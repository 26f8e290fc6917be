import type { AgentQuestion, ToolQuestion } from '#flows/ask-tool-approval.ts'
import { OWN_SERVER } from '#contract/keeper-protocol.ts'
import { charactersIn, mostShownAtOnce } from '#domain/approval.ts'
import { inertLine } from '#lib/inert-text.ts'
import { hashOfInput } from '#lib/input-hash.ts'
import type { ApprovalQuestion, AskedBy, Caller, InputRequest } from '#tools/port.ts'

type AgentCaller = Extract<Caller, { kind: 'agent' }>

const places = ['path', 'file_path', 'url']
/** Rules know what it runs as `command`, whoever runs it. */
const runsCommands = 'workspace.execute_command'

type CallQuestion = Omit<ApprovalQuestion, 'caller'>

/** Whether an agent, or the code of a person, may call this tool with these arguments. */
export function callQuestion(caller: AgentCaller, question: CallQuestion): AgentQuestion
export function callQuestion(caller: Caller, question: CallQuestion): ToolQuestion
export function callQuestion(
  caller: Caller,
  { tool, args, isChanged, isExempt }: CallQuestion,
): ToolQuestion {
  const { name, wireName, annotations, description, inputSchema } = tool
  const asked = isChanged ? { arguments: args, definition: { description, inputSchema, annotations } } : args
  const natural = tool.source === 'workspace' ? subjectIn(args) : undefined
  const readOnly = annotations.readOnlyHint === true && annotations.destructiveHint !== true
  const what = natural ? `${name}: ${natural.subject}` : name
  return {
    ...(caller.kind === 'agent' ? { ...whose(caller), ...placeOf(caller) } : nobodys),
    kind: 'tool',
    tool: name,
    title: oneLine(`${what}${isChanged ? changed : ''}`) + lengthOf(asked),
    input: asked,
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

/** What an upstream wants to know of a person before it goes on, and that it is this one; nothing when it is not for people. */
export function formQuestion(
  caller: AgentCaller,
  { source, doing }: AskedBy,
  { method, params = {} }: InputRequest,
): AgentQuestion | undefined {
  if (method !== 'elicitation/create') return undefined
  const { message, requestedSchema, url } = params
  if (!isRecord(requestedSchema) && typeof url !== 'string') return undefined
  const wanted = isRecord(requestedSchema) ? { schema: requestedSchema } : { url }
  const input = { source, tool: doing, message, ...wanted }
  if (charactersIn(input) > mostShownAtOnce) return undefined
  const words = typeof message === 'string' && message ? `: ${quoted(message)}` : ''
  return {
    ...whose(caller),
    kind: 'question',
    tool: doing,
    title: oneLine(`${source} asks while it runs ${doing}${words}`),
    input,
    // A yes to a call of the same tool is none to this.
    inputHash: hashOfInput({ tool: `question ${doing}`, input }),
    subject: null,
    readOnly: false,
    danger: 1,
    ...(isRecord(requestedSchema) && { schema: requestedSchema }),
    isForAPerson: true,
    otherNames: [],
  }
}

const nobodys = { executionId: null, sessionId: null, agentId: null }
const whose = ({ executionId, sessionId, agentId }: AgentCaller) => ({ executionId, sessionId, agentId })

function placeOf({ inChat }: AgentCaller): Pick<ToolQuestion, 'inChat'> {
  if (!inChat) return {}
  const { toolCallId, position, total } = inChat
  return { inChat: { toolCallId, position, total } }
}

/** What our own tools are about: a command, or a place. */
function subjectIn(args: Record<string, unknown>): { subject: string; isPlace?: boolean } | undefined {
  const { command } = args
  if (typeof command === 'string') return { subject: command }
  const place = places.map((name) => args[name]).find((value) => typeof value === 'string')
  return place === undefined ? undefined : { subject: place, isPlace: true }
}

const changed = ', whose definition has changed since it was accepted'

/** Whoever says yes to it has not seen all of it at first, and should know. */
function lengthOf(asked: unknown): string {
  const characters = charactersIn(asked)
  if (characters <= mostShownAtOnce) return ''
  return ` (${characters.toLocaleString('en')} characters: only the beginning is shown at first)`
}

/** Somebody else's words: they cannot end the quotation themselves. */
function quoted(text: string): string {
  const line = inertLine(text).replaceAll(/[“”„‟]/g, '"')
  return `“${line.length > 160 ? `${line.slice(0, 160)}…` : line}”`
}

const oneLine = (text: string): string => inertLine(text).slice(0, 300)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
