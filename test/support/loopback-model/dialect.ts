/** A model's API, as far as an agent needs it: the same conversation in four ways of writing it down. */
export interface Dialect {
  name: 'anthropic' | 'responses' | 'chat-completions' | 'gemini'
  /** Of the path of a request that asks for an answer. */
  path: RegExp
  read(body: Json, path: string): Asked
  refusal(status: number, message: string): object
  /** How it says that a request is too long for the model. */
  overflow: string
  /** The answer in one piece. */
  whole(asked: Asked, answer: Answer): object
  /** The answer bit by bit: each piece is one or more server-sent events. */
  stream(asked: Asked): AnswerStream
}

export interface Asked {
  model: string
  isStreamed: boolean
  /** What users and tools said, in order. */
  said: Said[]
  tools: Tool[]
  /** The answer must be an object. */
  wantsJson: boolean
}

export interface Said {
  by: 'user' | 'tool'
  text: string
}

export interface Tool {
  name: string
  /** Where the API lets tools live in one. */
  namespace?: string
  /** The names of its arguments, with their schemas. */
  properties: Record<string, { type?: unknown }>
}

export interface Call {
  id: string
  tool: Tool
  input: object
  /** In the place of the arguments; no JSON. */
  broken?: string
}

/** In one piece only what is said, or what is called. */
export type Answer = { text: string } | { calls: Call[] }

export interface AnswerStream {
  begin(): string
  /** What it thinks, where the API tells that. */
  thought(piece: string): string
  text(piece: string): string
  call(call: Call): string
  /** With or without having said everything. */
  end(isCutOff?: boolean): string
}

export const argumentsOf = ({ input, broken }: Call): string => broken ?? JSON.stringify(input)

// oxlint-disable-next-line typescript/no-explicit-any -- requests of programs that are not ours; what is missing shows in the test
export type Json = any

export const event = (data: object, name?: string): string =>
  `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`

/** The texts of a content that is a string, or a list of parts of which some have a text. */
export function textsOf(content: Json): string[] {
  if (typeof content === 'string') return [content]
  return [content ?? []].flat().flatMap((part: Json) => (typeof part.text === 'string' ? [part.text] : []))
}

export const tokens = { input: 1000, output: 50 }
