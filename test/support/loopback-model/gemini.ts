import { event, tokens } from './dialect.ts'
import type { Answer, Asked, Dialect, Json, Said } from './dialect.ts'

/** Gemini's generateContent and streamGenerateContent. */
export const gemini: Dialect = {
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
  whole: (asked, answer) => content(asked, [partOf(answer)], 'STOP'),
  stream: (asked) => ({
    begin: () => event(content(asked, [{ text: '' }])),
    text: (piece) => event(content(asked, [{ text: piece }])),
    call: (call) => event(content(asked, [partOf({ call })])),
    end: () => event(content(asked, [{ text: '' }], 'STOP')),
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

const partOf = (answer: Answer) =>
  'call' in answer
    ? {
        functionCall: { id: answer.call.id, name: answer.call.tool.name, args: answer.call.input },
        thoughtSignature: 'c2lnbmVk',
      }
    : { text: answer.text }

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
