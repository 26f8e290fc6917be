import { argumentsOf, event, textsOf, tokens } from './dialect.ts'
import type { Answer, AnswerStream, Asked, Call, Dialect, Json, Said, Tool } from './dialect.ts'

/** OpenAI's Responses. */
export const responses: Dialect = {
  name: 'responses',
  path: /\/responses$/,
  read: (body) => ({
    model: body.model,
    isStreamed: body.stream === true,
    said: typeof body.input === 'string' ? [{ by: 'user', text: body.input }] : body.input.flatMap(readItem),
    tools: (body.tools ?? []).flatMap(readTool),
    wantsJson: body.text?.format?.type?.startsWith('json') ?? false,
  }),
  refusal: (status, message) => ({ error: { message, type: 'invalid_request_error', code: String(status) } }),
  overflow: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  whole: (asked, answer) => ({ ...response(asked), status: 'completed', output: itemsOf(answer), usage }),
  stream,
}

function readItem({ type, role, content, output }: Json): Said[] {
  if (type?.endsWith('_output'))
    return [{ by: 'tool', text: typeof output === 'string' ? output : JSON.stringify(output) }]
  return role === 'user' ? textsOf(content).map((text) => ({ by: 'user', text })) : []
}

function readTool({ type, name, parameters, tools }: Json): Tool[] {
  const properties = parameters?.properties ?? {}
  if (type !== 'namespace') return [{ name: name ?? type, properties }]
  return tools.flatMap(readTool).map((tool: Tool) => ({ ...tool, namespace: name }))
}

const usage = {
  input_tokens: tokens.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: tokens.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: tokens.input + tokens.output,
}

const response = ({ model }: Asked) => ({
  id: `resp_${crypto.randomUUID()}`,
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  status: 'in_progress',
  model,
  output: [] as object[],
  usage: null as object | null,
})

const cutOff = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }

const itemsOf = (answer: Answer): object[] =>
  'calls' in answer ? answer.calls.map(callOf) : [messageOf(answer.text)]

const callOf = (call: Call) => ({
  id: `fc_${crypto.randomUUID()}`,
  type: 'function_call',
  call_id: call.id,
  name: call.tool.name,
  ...(call.tool.namespace && { namespace: call.tool.namespace }),
  arguments: argumentsOf(call),
  status: 'completed',
})

const messageOf = (text: string) => ({
  id: `msg_${crypto.randomUUID()}`,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})

function stream(asked: Asked): AnswerStream {
  const answer = response(asked)
  let number = 0
  let text = ''
  let open: ReturnType<typeof messageOf> | undefined
  const tell = (type: string, more: object) => event({ type, sequence_number: number++, ...more }, type)
  const place = () => ({ output_index: answer.output.length })
  const added = (item: object) =>
    tell('response.output_item.added', { ...place(), item: { ...item, status: 'in_progress' } })
  const done = (item: object) => {
    const told = tell('response.output_item.done', { ...place(), item })
    answer.output.push(item)
    return told
  }
  const part = () => ({ item_id: open?.id, ...place(), content_index: 0 })
  const openMessage = () => {
    open = messageOf('')
    text = ''
    const empty = { type: 'output_text', text: '', annotations: [] }
    return added({ ...open, content: [] }) + tell('response.content_part.added', { ...part(), part: empty })
  }
  const closeMessage = () => {
    if (!open) return ''
    const message = { ...messageOf(text), id: open.id }
    const told = tell('response.output_text.done', { ...part(), text }) + done(message)
    open = undefined
    return told
  }
  return {
    begin: () => tell('response.created', { response: answer }),
    thought(piece) {
      const item = { id: `rs_${crypto.randomUUID()}`, type: 'reasoning', summary: [] as object[] }
      const of = { item_id: item.id, ...place(), summary_index: 0 }
      const summary = { type: 'summary_text', text: piece }
      return (
        closeMessage() +
        added(item) +
        tell('response.reasoning_summary_part.added', { ...of, part: { ...summary, text: '' } }) +
        tell('response.reasoning_summary_text.delta', { ...of, delta: piece }) +
        tell('response.reasoning_summary_text.done', { ...of, text: piece }) +
        tell('response.reasoning_summary_part.done', { ...of, part: summary }) +
        done({ ...item, summary: [summary] })
      )
    },
    text(piece) {
      const opened = open ? '' : openMessage()
      text += piece
      return opened + tell('response.output_text.delta', { ...part(), delta: piece })
    },
    call(call) {
      const closed = closeMessage()
      const item = callOf(call)
      const of = { item_id: item.id, ...place() }
      return (
        closed +
        added({ ...item, arguments: '' }) +
        tell('response.function_call_arguments.delta', { ...of, delta: item.arguments }) +
        tell('response.function_call_arguments.done', { ...of, arguments: item.arguments }) +
        done(item)
      )
    },
    end: (isCutOff) =>
      closeMessage() +
      (isCutOff
        ? tell('response.incomplete', { response: { ...answer, ...cutOff, usage } })
        : tell('response.completed', { response: { ...answer, status: 'completed', usage } })),
  }
}
