import { z } from 'zod'
import { Id, Time, line } from './text.ts'

export const Scope = z.enum(['board', 'run', 'tools', 'code', 'chat', 'terminal', 'approve', 'admin'])
export type Scope = z.infer<typeof Scope>

/** The agent's process that a token was made for, and what is live in its session now. */
export const ActingAgent = z.object({
  agentId: Id,
  sessionId: Id,
  /** None is live: nothing can be done in its name. */
  executionId: Id.nullable(),
  /** Whose session it is. */
  onBehalfOf: z.string(),
})
export type ActingAgent = z.infer<typeof ActingAgent>

/** Who is asking. `id` is `owner`, a user's UUID, `jwt:` and the subject that an issuer vouches for, or `agent:` and the agent's id. */
export const Principal = z.object({
  id: z.string(),
  kind: z.enum(['owner', 'user', 'agent']),
  name: z.string(),
  scopes: z.array(Scope),
  /** Of an agent alone. */
  agent: ActingAgent.optional(),
})
export type Principal = z.infer<typeof Principal>

export const SessionKey = z.object({ sessionKey: z.string(), expiresAt: Time, principal: Principal })
export type SessionKey = z.infer<typeof SessionKey>

export const Ticket = z.object({ ticket: z.string(), expiresAt: Time })
export type Ticket = z.infer<typeof Ticket>

export const User = z.object({ id: Id, name: z.string(), scopes: z.array(Scope), createdAt: Time })
export type User = z.infer<typeof User>

export const CreateUser = z.strictObject({
  name: line(100),
  scopes: z.array(Scope).max(8).default(['board', 'run', 'tools', 'code', 'chat']),
})
export type CreateUser = z.infer<typeof CreateUser>

/** What is named changes; scopes replace those that there were. */
export const EditUser = z.strictObject({ name: line(100), scopes: z.array(Scope).max(8) }).partial()
export type EditUser = z.infer<typeof EditUser>

/** A browser that is logged in. */
export const Browser = z.object({
  id: Id,
  /** As it called itself when it logged in. */
  browser: z.string().nullable(),
  /** Whose it is: `owner`, or a user's id. */
  who: z.string(),
  name: z.string(),
  createdAt: Time,
  /** To the day. */
  usedAt: Time,
  expiresAt: Time,
  /** It is the one that asks. */
  isThis: z.boolean(),
})
export type Browser = z.infer<typeof Browser>

/** The token is shown once, here, and nowhere else. */
export const CreatedUser = User.extend({ token: z.string() })
export type CreatedUser = z.infer<typeof CreatedUser>
