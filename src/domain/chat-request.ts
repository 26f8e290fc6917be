import { AnsweredPart, SaidPart } from '#contract/chat.ts'
import type { ChatRequest, FilePart, UiMessage } from '#contract/chat.ts'
import { bodyMisfit } from './problem.ts'

/** What a client of the chat wants: say something, have it answered once more, or answer what was asked. */
export type ChatWish =
  /** `edits` is the message in whose place it comes. */
  | { kind: 'message'; message: UiMessage; text: string; files: SaidFile[]; edits?: string }
  /** The answer to be left, or the message to be answered; `last` is what the client has last, which may be none of ours. */
  | { kind: 'again'; messageId?: string; last: string }
  | { kind: 'answers'; message: UiMessage; answers: ChatAnswer[] }

export interface SaidFile {
  /** A path within the workspace, or a data: URL. */
  url: string
  mediaType: string
  name?: string
}

export interface ChatAnswer {
  approvalId: string
  approved: boolean
  /** As it was shown to whoever answered. */
  input: unknown
  reason?: string
}

const again = 'regenerate-message'

/** Only the last message counts: what came before is history, and a client's word for history is worth nothing. */
export function readChatRequest(request: ChatRequest): ChatWish {
  const { messages, trigger, messageId } = Array.isArray(request)
    ? { messages: request, trigger: undefined, messageId: undefined }
    : request
  // An answer to what was asked before somebody said something else comes under the name of the message that asks.
  const named = messages.findLastIndex(({ id, role }) => role === 'assistant' && id === messageId)
  const index = named === -1 || trigger === again ? messages.length - 1 : named
  const place = `messages.${index}`
  const message = messages[index]
  if (!message) throw bodyMisfit('messages', 'must have a message')
  if (trigger === again) return { kind: 'again', last: message.id, ...(messageId && { messageId }) }
  if (message.role === 'assistant') return { kind: 'answers', message, answers: answersIn(message, place) }
  if (message.role !== 'user') throw bodyMisfit(`${place}.role`, 'must be "user" or "assistant"')
  const said = message.parts
    .filter(({ type }) => type === 'text' || type === 'file')
    .map((part, index) => checked(part, `${place}.parts.${index}`))
  const files = said.filter((part) => part.type === 'file')
  const texts = said.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const links = files
    .filter(({ url }) => isElsewhere(url))
    .map(({ url, filename }) => `${filename ?? 'See'}: ${url}`)
  const text = [...texts, ...links].join('\n\n')
  if (text.trim() === '' && files.length === 0)
    throw bodyMisfit(`${place}.parts`, 'must have a text or a file')
  return {
    kind: 'message',
    message,
    text,
    files: files.filter(({ url }) => !isElsewhere(url)).map(asFile),
    ...(messageId && { edits: messageId }),
  }
}

function checked(part: unknown, field: string): SaidPart {
  const { data, error } = SaidPart.safeParse(part)
  if (data) return data
  const [issue] = error.issues
  throw bodyMisfit(field, issue?.code === 'invalid_union' ? 'is no text and no file' : (issue?.message ?? ''))
}

/** On another machine: the agent fetches it itself, if it may. */
const isElsewhere = (url: string): boolean => /^https?:/i.test(url)

const asFile = ({ url, mediaType, filename }: FilePart): SaidFile => ({
  url: /^file:\/\/\//i.test(url) ? pathIn(url) : url,
  mediaType,
  ...(filename !== undefined && { name: filename }),
})

function pathIn(url: string): string {
  try {
    return decodeURIComponent(url.slice('file://'.length))
  } catch {
    return url
  }
}

function answersIn(message: UiMessage, place: string): ChatAnswer[] {
  const answers = message.parts.flatMap((part) => {
    const { data } = AnsweredPart.safeParse(part)
    if (!data) return []
    const { id, approved, reason } = data.approval
    return [{ approvalId: id, approved, input: data.input, ...(reason !== undefined && { reason }) }]
  })
  if (answers.length === 0)
    throw bodyMisfit(place, 'the last message must be of a person, or answer what an agent asked')
  return answers
}

/** What was filled in, as far as a reason can tell it: an object of answers, or the words for the one question there is. */
export function contentOf(
  reason: string | undefined,
  questions: readonly { id: string }[] | null | undefined,
): Record<string, unknown> | undefined {
  if (reason === undefined) return undefined
  try {
    const content: unknown = JSON.parse(reason)
    if (content && typeof content === 'object' && !Array.isArray(content))
      return content as Record<string, unknown>
  } catch {
    // words
  }
  const [only, another] = questions ?? []
  return only && !another ? { [only.id]: reason } : undefined
}
