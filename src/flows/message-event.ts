import type { Principal } from '#contract/access.ts'
import type { NewEvent } from '#contract/event.ts'
import type { SendMessage } from '#contract/execution.ts'

export interface Said extends SendMessage {
  /** What the client that said it calls it. */
  messageId?: string | undefined
}

/** What a person said, as the session's stream tells it. What became of it comes later, as `data-delivery`. */
export const messageEvent = (
  executionId: string,
  { text, files, messageId }: Said,
  by: Principal,
  commandId?: string,
): NewEvent => ({
  type: 'data-message',
  payload: {
    role: 'user',
    text,
    files,
    by: by.id,
    ...(commandId && { commandId }),
    ...(messageId && { messageId }),
  },
  executionId,
})
