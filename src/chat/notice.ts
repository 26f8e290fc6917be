import type { Chunk } from '#contract/agent-event.ts'

/** Something that people should know, and the model is not told. */
export const notice = (text: string, more: object = {}): Chunk => ({
  type: 'data-notice',
  data: { text, ...more },
})
