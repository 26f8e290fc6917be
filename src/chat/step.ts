import { jsonSchema, streamText, tool, toUIMessageStream } from 'ai'
import type { FinishReason, LanguageModel, LanguageModelUsage, ModelMessage, ToolSet } from 'ai'
import type { Chunk } from '#contract/agent-event.ts'
import { asModelFailed } from './failure.ts'
import type { ChatTool, WantedCall } from './port.ts'

export interface StepWanted {
  model: LanguageModel
  /** For messages that people read. */
  provider: string
  system: string
  messages: readonly ModelMessage[]
  tools: readonly ChatTool[]
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

/** Begins and ends of the whole are said by whoever takes the steps. */
const notOurs = new Set(['start', 'finish', 'start-step', 'finish-step', 'abort', 'error'])

/** Asks the model once, and tells what it says while it says it. Throws ModelFailed; when the signal is aborted, its reason. */
export async function takeStep(wanted: StepWanted, onChunk: (chunk: Chunk) => void): Promise<StepDone> {
  const { provider, signal } = wanted
  let failure: unknown
  const result = streamText({
    model: wanted.model,
    instructions: wanted.system,
    messages: [...wanted.messages],
    tools: toolsOf(wanted.tools),
    maxOutputTokens: wanted.maxOutputTokens,
    abortSignal: signal,
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
    for await (const chunk of toUIMessageStream({ stream: seen, sendStart: false, sendFinish: false }))
      if (!notOurs.has(chunk.type)) onChunk(chunk)
    signal.throwIfAborted()
    if (failure !== undefined) throw failure
    const [finish, usage, { messages }] = await Promise.all([
      result.finishReason,
      result.usage,
      result.response,
    ])
    return { finish, calls, usage: usageOf(usage), messages: messages.filter(isSaid) }
  } catch (error) {
    signal.throwIfAborted()
    throw asModelFailed(failure ?? error, provider)
  }
}

/** A call that cannot be made is answered here by the kit already; it is answered by whoever takes the steps, with the others. */
const isSaid = ({ role }: ModelMessage): boolean => role === 'assistant'

function callOf(part: {
  toolCallId: string
  toolName: string
  input: unknown
  invalid?: boolean | undefined
  error?: unknown
}): WantedCall {
  const { toolCallId, toolName, input, invalid, error } = part
  const call = { toolCallId, toolName, input }
  if (!invalid) return call
  return { ...call, fault: error instanceof Error ? error.message : 'The call cannot be understood' }
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
