import { InvalidToolInputError, jsonSchema, NoSuchToolError, streamText, tool, toUIMessageStream } from 'ai'
import type {
  AssistantModelMessage,
  FinishReason,
  LanguageModel,
  LanguageModelUsage,
  ModelMessage,
  ToolSet,
} from 'ai'
import type { Chunk } from '#contract/agent-event.ts'
import { asModelFailed } from './failure.ts'
import type { ChatTool, WantedCall } from './port.ts'
import { tamed } from './tamed-model.ts'

export interface StepWanted {
  model: LanguageModel
  /** For messages that people read. */
  provider: string
  system: string
  messages: readonly ModelMessage[]
  tools: readonly ChatTool[]
  /** The ids of calls that there are in the turn already. Those of this step are put in. */
  callIds: Set<string>
  maxOutputTokens: number
  signal: AbortSignal
}

export interface StepDone {
  finish: FinishReason
  calls: WantedCall[]
  usage: StepUsage
  /** What the model is shown of it in the next step. */
  messages: ModelMessage[]
}

export interface StepUsage {
  input: number
  output: number
  cachedInput: number
  cacheWrite: number
  reasoning: number
}

/** Begins and ends of the whole, and what comes of calls, are said by whoever takes the steps. */
const notOurs = new Set([
  'start',
  'finish',
  'start-step',
  'finish-step',
  'abort',
  'error',
  'tool-output-error',
])
/** What was said is kept here, for as long as people want. */
const providerOptions = { openai: { store: false } }

// Its warnings are for programmers, and would go to the console.
globalThis.AI_SDK_LOG_WARNINGS = false

/** Asks the model once, and tells what it says while it says it. Throws ModelFailed; when the signal is aborted, its reason. */
export async function takeStep(wanted: StepWanted, onChunk: (chunk: Chunk) => void): Promise<StepDone> {
  const { provider, signal } = wanted
  let failure: unknown
  const result = streamText({
    model: tamed(wanted.model, provider, wanted.callIds),
    instructions: wanted.system,
    messages: [...wanted.messages],
    tools: toolsOf(wanted.tools),
    maxOutputTokens: wanted.maxOutputTokens,
    abortSignal: signal,
    providerOptions,
    // Whoever takes the steps tries again, and says so.
    maxRetries: 0,
    onError: ({ error }) => void (failure ??= error),
  })
  const calls: WantedCall[] = []
  const seen = result.fullStream.pipeThrough(
    new TransformStream({
      transform(part, controller) {
        if (part.type === 'tool-call') calls.push(callOf(part))
        if (part.type === 'error') failure ??= part.error
        controller.enqueue(part)
      },
    }),
  )
  try {
    const chunks = toUIMessageStream({ stream: seen, sendStart: false, sendFinish: false, onError: faultOf })
    for await (const chunk of chunks) if (!notOurs.has(chunk.type)) onChunk(chunk)
    signal.throwIfAborted()
    if (failure !== undefined) throw failure
    const [finish, usage, { messages }] = await Promise.all([
      result.finishReason,
      result.usage,
      result.response,
    ])
    return { finish, calls, usage: usageOf(usage), messages: messages.flatMap(saidIn) }
  } catch (error) {
    signal.throwIfAborted()
    throw asModelFailed(failure ?? error, provider)
  }
}

/** A call that cannot be made is answered here by the kit already; it is answered by whoever takes the steps, with the others. */
function saidIn(message: ModelMessage): AssistantModelMessage[] {
  if (message.role !== 'assistant') return []
  if (typeof message.content === 'string') return isBlank(message.content) ? [] : [message]
  // Providers take no text back that has no words, and no arguments but objects.
  const content = message.content
    .filter((part) => part.type !== 'text' || !isBlank(part.text))
    .map((part) => (part.type === 'tool-call' && !isObject(part.input) ? { ...part, input: {} } : part))
  return content.length === 0 ? [] : [{ ...message, content }]
}

function callOf(part: {
  toolCallId: string
  toolName: string
  input: unknown
  invalid?: boolean | undefined
  error?: unknown
}): WantedCall {
  const { toolCallId, toolName, input, invalid, error } = part
  if (invalid) return { toolCallId, toolName, input: {}, fault: faultOf(error) }
  if (isObject(input)) return { toolCallId, toolName, input }
  return { toolCallId, toolName, input: {}, fault: 'The arguments have to be an object' }
}

const isBlank = (text: string): boolean => text.trim() === ''

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is wrong with a call, for the model that made it. */
function faultOf(error: unknown): string {
  if (NoSuchToolError.isInstance(error)) return `There is no tool ${error.toolName}`
  if (InvalidToolInputError.isInstance(error))
    return `The arguments cannot be read as JSON: ${error.toolInput.slice(0, 200)}`
  return 'The call cannot be understood'
}

/** None of them is executed here. */
const toolsOf = (tools: readonly ChatTool[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  )

const usageOf = ({
  inputTokens,
  outputTokens,
  inputTokenDetails,
  outputTokenDetails,
}: LanguageModelUsage): StepUsage => ({
  input: inputTokens ?? 0,
  output: outputTokens ?? 0,
  cachedInput: inputTokenDetails.cacheReadTokens ?? 0,
  cacheWrite: inputTokenDetails.cacheWriteTokens ?? 0,
  reasoning: outputTokenDetails.reasoningTokens ?? 0,
})
