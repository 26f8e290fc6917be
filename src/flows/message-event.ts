import type { Principal } from '#contract/access.ts'
import type { NewEvent } from '#contract/event.ts'
import type { SendMessage } from '#contract/execution.ts'

/** What a person said, as the session's stream tells it. What became of it comes later, as `data-delivery`. */
export const messageEvent = (
  executionId: string,
  { text, files }: SendMessage,
  by: Principal,
  commandId?: string,
): NewEvent => ({
  type: 'data-message',
  payload: { role: 'user', text, files, by: by.id, ...(commandId && { commandId }) },
  executionId,
})
