import { argumentsOf, event, textsOf, tokens } from './dialect.ts'
import type { Asked, Call, Dialect, Json, Said } from './dialect.ts'

/** OpenAI's chat completions, which everyone else speaks too. */
export const chatCompletions: Dialect = {
  name: 'chat-completions',
  path: /\/chat\/completions$/,
  read: (body) => ({
    model: body.model,
    isStreamed: body.stream === true,
    said: body.messages.flatMap(({ role, content }: Json): Said[] =>
      role === 'user' || role === 'tool' ? textsOf(content).map((text) => ({ by: role, text })) : [],
    ),
    tools: (body.tools ?? []).map(({ function: tool }: Json) => ({
      name: tool.name,
      properties: tool.parameters?.properties ?? {},
    })),
    wantsJson: body.response_format?.type?.startsWith('json') ?? false,
  }),
  refusal: (status, message) => ({ error: { message, type: 'invalid_request_error', code: String(status) } }),
  overflow:
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens",
  whole: (asked, answer) => ({
    ...envelope(asked, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          ...('calls' in answer
            ? { content: null, tool_calls: answer.calls.map(callOf) }
            : { content: answer.text }),
        },
        finish_reason: 'calls' in answer ? 'tool_calls' : 'stop',
      },
    ],
    usage,
  }),
  stream(asked) {
    let reason = 'stop'
    let called = 0
    const common = envelope(asked, 'chat.completion.chunk')
    const tell = (delta: object, more: object = {}, finish_reason: string | null = null) =>
      event({ ...common, choices: [{ index: 0, delta, finish_reason }], ...more })
    return {
      begin: () => tell({ role: 'assistant', content: '' }),
      thought: (piece) => tell({ reasoning_content: piece }),
      text: (piece) => tell({ content: piece }),
      call(call) {
        reason = 'tool_calls'
        return tell({ tool_calls: [{ index: called++, ...callOf(call) }] })
      },
      end: (isCutOff) => `${tell({}, { usage }, isCutOff ? 'length' : reason)}data: [DONE]\n\n`,
    }
  },
}

const usage = {
  prompt_tokens: tokens.input,
  completion_tokens: tokens.output,
  total_tokens: tokens.input + tokens.output,
}

const envelope = ({ model }: Asked, object: string) => ({
  id: `chatcmpl-${crypto.randomUUID()}`,
  object,
  created: Math.floor(Date.now() / 1000),
  model,
})

const callOf = (call: Call) => ({
  id: call.id,
  type: 'function',
  function: { name: call.tool.name, arguments: argumentsOf(call) },
})
