import { z } from 'zod'
import { Id, Time } from './text.ts'

export const AgentKind = z.enum(['tool', 'coding', 'model'])
export type AgentKind = z.infer<typeof AgentKind>

export const Agent = z.object({
  id: Id,
  name: z.string(),
  kind: AgentKind,
  active: z.boolean(),
  createdAt: Time,
})
export type Agent = z.infer<typeof Agent>
