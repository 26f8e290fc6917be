import { z } from 'zod'
import { Id } from './text.ts'

/** `agent` shows the agent (its own interface once it was taken over, else a readable view of the session), `shell` is beside it. */
export const TerminalWindow = z.enum(['agent', 'shell'])
export type TerminalWindow = z.infer<typeof TerminalWindow>

/** A shell can also be had of a workspace that no session is in yet, and is all that it has. Of a session, `agent` is what is meant by none. */
export const AskTerminal = z
  .strictObject({
    sessionId: Id.optional(),
    workspaceId: Id.optional(),
    window: TerminalWindow.optional(),
    readOnly: z.boolean().default(false),
  })
  .refine(({ sessionId, workspaceId }) => (sessionId === undefined) !== (workspaceId === undefined), {
    path: ['sessionId'],
    message: 'is needed, or a workspaceId; not both',
  })
  .refine(({ workspaceId, window }) => workspaceId === undefined || window !== 'agent', {
    path: ['window'],
    message: 'must be shell: agents are in sessions',
  })
export type AskTerminal = z.infer<typeof AskTerminal>

export const TerminalToken = z.object({
  /** Single use, for 5 minutes, for this one window. */
  token: z.string(),
  /** `ws://…/terminal` of the machine that has it; the token goes into its query. */
  url: z.string(),
})
export type TerminalToken = z.infer<typeof TerminalToken>

const size = { cols: z.int().min(1).max(1000), rows: z.int().min(1).max(1000) }

/** What the page says in text frames. What is typed comes in binary frames. */
export const TerminalSaid = z.discriminatedUnion('type', [
  /** How large it is shown. The window is as large as its smallest viewer who types. */
  z.object({ type: z.literal('resize'), ...size }),
  /** So many bytes, of all that were sent, have been drawn. Too many that were not, and nothing more is sent. */
  z.object({ type: z.literal('ack'), bytes: z.int().min(0) }),
  /** Draw all of it again. */
  z.object({ type: z.literal('repaint') }),
])
export type TerminalSaid = z.infer<typeof TerminalSaid>

/** What the page is told in text frames. What the window shows comes in binary frames. */
export const TerminalTold = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ready'),
    window: TerminalWindow,
    /** Typing is not passed on: asked for so, or there is nobody to type to (the readable view of an agent). */
    readOnly: z.boolean(),
    /** Whether a person has the session, so that the agent window is the agent's own interface. */
    takenOver: z.boolean(),
    viewers: z.int(),
    ...size,
  }),
  /** Somebody came or went, or the size changed. */
  z.object({ type: z.literal('viewers'), viewers: z.int(), ...size }),
  /** So many bytes of what was typed or pasted are lost, and why. */
  z.object({ type: z.literal('refused'), bytes: z.int(), reason: z.string() }),
  /** The socket closes after this; `canReturn` says whether a new token is worth asking for. */
  z.object({ type: z.literal('ended'), reason: z.string(), canReturn: z.boolean() }),
])
export type TerminalTold = z.infer<typeof TerminalTold>
