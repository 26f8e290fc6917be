import { z } from 'zod'
import { Id, prose } from './text.ts'

/** An agent is to work on something, in a session of its own. What an agent starts, it starts below its own execution. */
export const SpawnAgent = z.strictObject({
  agentId: Id,
  /** Without one an agent's own task; a person's has none then. */
  taskId: Id.optional(),
  prompt: prose(1_000_000).min(1, 'must not be empty'),
})
export type SpawnAgent = z.infer<typeof SpawnAgent>
