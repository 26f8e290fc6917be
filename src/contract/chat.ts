import { z } from 'zod'
import { isStorable, notStorable, prose } from './text.ts'

// What the AI SDK's chat clients send and read: UI messages, and the chunks of the UI message stream.

/** One part of a message: a text, a file, a tool call in one of its states, or data of ours. */
export const UiPart = z.looseObject({ type: z.string().max(200) })
export type UiPart = z.infer<typeof UiPart>

export const UiMessage = z.looseObject({
  id: prose(200).default(''),
  role: z.enum(['system', 'user', 'assistant']),
  metadata: z.unknown().optional(),
  parts: z.array(UiPart).max(100_000),
})
export type UiMessage = z.infer<typeof UiMessage>

const messages = z.array(UiMessage).min(1, 'must have a message').max(100_000)

/** `POST …/chat`: as `useChat` sends it, or the messages alone. Only the last one is new; the rest is history, which is ours. */
export const ChatRequest = z.union([
  z.looseObject({
    id: prose(200).optional(),
    messages,
    trigger: prose(100).optional(),
    messageId: prose(200).nullish(),
  }),
  messages,
])
export type ChatRequest = z.infer<typeof ChatRequest>

const TextPart = z.looseObject({ type: z.literal('text'), text: prose(1_000_000) })

const FilePart = z.looseObject({
  type: z.literal('file'),
  url: z.string().max(20_000_000, 'must be a file of at most 14 MB').refine(isStorable, notStorable),
  mediaType: prose(200).default('application/octet-stream'),
  filename: prose(255).optional(),
})
export type FilePart = z.infer<typeof FilePart>

/** What a person says: texts and files. Whatever else a client puts into a message is not for the agent. */
export const SaidPart = z.union([TextPart, FilePart])
export type SaidPart = z.infer<typeof SaidPart>

/** A tool call to which a person has said yes or no, as `addToolApprovalResponse` leaves it. */
export const AnsweredPart = z.looseObject({
  type: z.string(),
  state: z.literal('approval-responded'),
  toolCallId: z.string(),
  input: z.unknown(),
  approval: z.looseObject({
    id: z.string().max(200),
    approved: z.boolean(),
    reason: prose(10_000).optional(),
  }),
})
export type AnsweredPart = z.infer<typeof AnsweredPart>
