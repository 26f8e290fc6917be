import { z } from 'zod'
import { Id, line, prose } from './text.ts'

// What is said on a socket of the gateway (`/socket.io`).

/** With what somebody comes: the query of the address, and `auth`, which can differ each time that a client comes back. */
export const Knock = z.object({
  token: z.string('must be a token, in auth.token'),
  sessionId: Id.optional(),
  /** The last `seq` that was seen. */
  after: z.int('must be the seq of an event, a whole number').min(0).optional(),
  model: line(200).optional(),
})
export type Knock = z.infer<typeof Knock>

/** `message`. */
export const SaidOnSocket = z.strictObject({ text: prose(1_000_000).min(1, 'must not be empty') })
export type SaidOnSocket = z.infer<typeof SaidOnSocket>

/** `tool:approval`. `callId` is the approval's id. */
export const AnsweredOnSocket = z.strictObject({
  callId: Id,
  approved: z.boolean(),
  reason: prose(10_000).optional(),
})
export type AnsweredOnSocket = z.infer<typeof AnsweredOnSocket>

/** What a client is told, by the name of the event. Each has `seq` beside it: up to there everything was told. */
export interface ToldOnSocket {
  'system:ready': { provider: string; model: string | null; sessionId: string }
  'agent:delta': { text: string }
  /** A text of the model as a whole, once it is. */
  'agent:message': { text: string }
  'agent:notice': { text: string }
  'tool:approval_required': {
    name: string
    args: unknown
    callId: string
    queuePosition: number
    totalInQueue: number
  }
  /** `callId` is that of its approval; the tool call's own where nobody was asked. */
  'tool:output': { callId: string; name: string; output: unknown }
  /** With `status` it is the turn that has failed. */
  'agent:error': { message: string; code?: string; callId?: string; status?: string }
  /** A turn is over, and has not failed. */
  'agent:done': { status: string }
  mcpAdded: { name: string }
  /** Nothing follows. */
  error: { message: string; code: string }
}

/** The answer to whatever a client has said, where it wants one. */
export type HeardOnSocket =
  | { executionId: string }
  | { ok: true }
  | { error: { code: string; message: string } }
