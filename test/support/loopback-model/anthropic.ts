import { argumentsOf, event, textsOf, tokens } from './dialect.ts'
import type { Answer, AnswerStream, Asked, Call, Dialect, Json, Said } from './dialect.ts'

/** Anthropic's Messages. */
export const anthropic: Dialect = {
  name: 'anthropic',
  path: /\/messages$/,
  read: (body) => ({
    model: body.model,
    isStreamed: body.stream === true,
    said: body.messages.flatMap(({ role, content }: Json) => (role === 'user' ? readContent(content) : [])),
    tools: (body.tools ?? []).map(({ name, input_schema }: Json) => ({
      name,
      properties: input_schema?.properties ?? {},
    })),
    wantsJson: body.output_config?.format !== undefined || body.output_format !== undefined,
  }),
  refusal: (status, message) => ({ type: 'error', error: { type: kinds[status] ?? 'api_error', message } }),
  overflow: 'prompt is too long: 210000 tokens > 200000 maximum',
  whole: (asked, answer) => ({
    ...message(asked, blocksOf(answer)),
    stop_reason: 'calls' in answer ? 'tool_use' : 'end_turn',
  }),
  stream,
}

const kinds: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
}

function readContent(content: Json): Said[] {
  if (typeof content === 'string') return [{ by: 'user', text: content }]
  return content.flatMap((block: Json): Said[] => {
    if (block.type === 'tool_result') return [{ by: 'tool', text: textsOf(block.content).join('\n') }]
    return block.type === 'text' ? [{ by: 'user', text: block.text }] : []
  })
}

const blocksOf = (answer: Answer) =>
  'calls' in answer
    ? answer.calls.map((call) => toolUse(call, call.input))
    : [{ type: 'text', text: answer.text }]

const toolUse = ({ id, tool }: Call, input: object) => ({ type: 'tool_use', id, name: tool.name, input })

const message = ({ model }: Asked, content: object[]) => ({
  id: `msg_${crypto.randomUUID()}`,
  type: 'message',
  role: 'assistant',
  model,
  content,
  stop_reason: null as string | null,
  stop_sequence: null,
  usage: {
    input_tokens: tokens.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: tokens.output,
  },
})

function stream(asked: Asked): AnswerStream {
  let index = -1
  let isTextOpen = false
  let stopReason = 'end_turn'
  const tell = (type: string, more: object) => event({ type, ...more }, type)
  const start = (block: object) => tell('content_block_start', { index: ++index, content_block: block })
  const delta = (more: object) => tell('content_block_delta', { index, delta: more })
  const stop = () => tell('content_block_stop', { index })
  const closeText = () => {
    const wasOpen = isTextOpen
    isTextOpen = false
    return wasOpen ? stop() : ''
  }
  return {
    begin: () => tell('message_start', { message: message(asked, []) }),
    thought: (piece) =>
      closeText() +
      start({ type: 'thinking', thinking: '', signature: '' }) +
      delta({ type: 'thinking_delta', thinking: piece }) +
      delta({ type: 'signature_delta', signature: 'c2lnbmVk' }) +
      stop(),
    text(piece) {
      const opened = isTextOpen ? '' : start({ type: 'text', text: '' })
      isTextOpen = true
      return opened + delta({ type: 'text_delta', text: piece })
    },
    call(call) {
      stopReason = 'tool_use'
      const closed = closeText()
      const input = argumentsOf(call)
      return (
        closed +
        start(toolUse(call, {})) +
        delta({ type: 'input_json_delta', partial_json: input.slice(0, 5) }) +
        delta({ type: 'input_json_delta', partial_json: input.slice(5) }) +
        stop()
      )
    },
    end: (isCutOff) =>
      closeText() +
      tell('message_delta', {
        delta: { stop_reason: isCutOff ? 'max_tokens' : stopReason, stop_sequence: null },
        usage: { output_tokens: tokens.output },
      }) +
      tell('message_stop', {}),
  }
}
