import { constants, createReadStream } from 'node:fs'
import { readLines } from '#lib/lines.ts'
import type { OutsideTurn } from '../history.ts'
import { isObject, listIn, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'

/** A line may hold a picture, or all messages at once; one that is longer still is skipped, and counted. */
const longestLine = 64 * 1024 * 1024
const longestText = 100_000

export interface Chat {
  sessionId: string | undefined
  startedAt: string | undefined
  updatedAt: string | undefined
  summary: string | undefined
  /** By id, in the order in which they were first said. */
  messages: Map<string, JsonObject>
  skipped: number
}

/**
 * One of Gemini CLI's `chats/session-*.jsonl`, whose lines are to be applied in order: a message (again, with more in it), a
 * `$set` of fields or of all messages, a `$rewindTo` a message. Older ones are one object in a `.json`. Never rejects.
 */
export async function readChat(file: string): Promise<Chat> {
  const chat: Chat = {
    sessionId: undefined,
    startedAt: undefined,
    updatedAt: undefined,
    summary: undefined,
    messages: new Map(),
    skipped: 0,
  }
  const skip = () => {
    chat.skipped += 1
  }
  const stream = createReadStream(file, { flags: constants.O_RDONLY | constants.O_NOFOLLOW } as object)
  if (file.endsWith('.json')) apply(chat, parse(await wholeText(stream)))
  else
    await readLines(stream, { take: (line) => apply(chat, parse(line)), tooLong: skip, longest: longestLine })
  return chat
}

function apply(chat: Chat, record: JsonObject | undefined): void {
  if (!record) {
    chat.skipped += 1
    return
  }
  const { $set: set } = record
  const rewindTo = textIn(record, '$rewindTo')
  const id = textIn(record, 'id')
  if (rewindTo !== undefined) rewind(chat, rewindTo)
  else if (isObject(set)) takeFields(chat, set)
  else if (id !== undefined) chat.messages.set(id, record)
  else takeFields(chat, record)
}

function takeFields(chat: Chat, fields: JsonObject): void {
  chat.sessionId = textIn(fields, 'sessionId') ?? chat.sessionId
  chat.startedAt = textIn(fields, 'startTime') ?? chat.startedAt
  chat.updatedAt = textIn(fields, 'lastUpdated') ?? chat.updatedAt
  chat.summary = textIn(fields, 'summary') ?? chat.summary
  if (!Array.isArray(fields['messages'])) return
  chat.messages = new Map(
    listIn(fields, 'messages').flatMap((message) => {
      const id = textIn(message, 'id')
      return id === undefined ? [] : [[id, message]]
    }),
  )
}

/** That message and all after it are gone; all of them, when it is not there. */
function rewind(chat: Chat, to: string): void {
  const ids = [...chat.messages.keys()]
  for (const id of ids.slice(Math.max(0, ids.indexOf(to)))) chat.messages.delete(id)
}

/** Undefined for what nobody said: tools, notes, and what the program wrote in the user's name. */
export function saidIn(message: JsonObject): OutsideTurn | undefined {
  const role = ({ user: 'user', gemini: 'assistant' } as const)[textIn(message, 'type') ?? '']
  const { content } = message
  const text =
    typeof content === 'string'
      ? content
      : listIn(message, 'content')
          .map((part) => textIn(part, 'text') ?? '')
          .join('')
  if (!role || text.trim() === '' || (role === 'user' && text.startsWith('<session_context>')))
    return undefined
  return { role, text: text.slice(0, longestText), at: textIn(message, 'timestamp') ?? null }
}

async function wholeText(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      size += part.length
      if (size > longestLine) return ''
      parts.push(part)
    }
  } catch {
    return ''
  }
  return Buffer.concat(parts).toString('utf8')
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
