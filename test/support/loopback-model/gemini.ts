import { event, tokens } from './dialect.ts'
import type { Asked, Call, Dialect, Json, Said } from './dialect.ts'

/** Gemini's generateContent and streamGenerateContent. */
export const gemini: Dialect = {
  name: 'gemini',
  path: /\/models\/[^/]+:(generateContent|streamGenerateContent)$/,
  read: (body, path) => ({
    model: /\/models\/([^/]+):/.exec(path)?.[1] ?? '',
    isStreamed: path.endsWith(':streamGenerateContent'),
    said: body.contents.flatMap(({ role, parts }: Json) =>
      role === 'model' ? [] : (parts ?? []).flatMap(readPart),
    ),
    tools: (body.tools ?? [])
      .flatMap(({ functionDeclarations }: Json) => functionDeclarations ?? [])
      .map(({ name, parametersJsonSchema, parameters }: Json) => ({
        name,
        properties: (parametersJsonSchema ?? parameters)?.properties ?? {},
      })),
    wantsJson: body.generationConfig?.responseMimeType === 'application/json',
  }),
  refusal: (status, message) => ({
    error: { code: status, message, status: kinds[status] ?? 'INTERNAL' },
  }),
  overflow: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  whole: (asked, answer) =>
    content(asked, 'calls' in answer ? answer.calls.map(callOf) : [{ text: answer.text }], 'STOP'),
  stream: (asked) => ({
    begin: () => event(content(asked, [{ text: '' }])),
    thought: (piece) => event(content(asked, [{ text: piece, thought: true }])),
    text: (piece) => event(content(asked, [{ text: piece }])),
    call: (call) => event(content(asked, [callOf(call)])),
    end: (isCutOff) => event(content(asked, [{ text: '' }], isCutOff ? 'MAX_TOKENS' : 'STOP')),
  }),
}

const kinds: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
}

function readPart({ text, functionResponse }: Json): Said[] {
  if (functionResponse) return [{ by: 'tool', text: JSON.stringify(functionResponse.response) }]
  return typeof text === 'string' ? [{ by: 'user', text }] : []
}

/** Arguments are no text here; broken ones are none that fit. */
const callOf = ({ id, tool, input, broken }: Call) => ({
  functionCall: { id, name: tool.name, args: broken ?? input },
  thoughtSignature: 'c2lnbmVk',
})

const content = ({ model }: Asked, parts: object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
  usageMetadata: {
    promptTokenCount: tokens.input,
    candidatesTokenCount: tokens.output,
    totalTokenCount: tokens.input + tokens.output,
  },
  modelVersion: model,
  responseId: crypto.randomUUID(),
})
