import type { UiMessage } from '#contract/chat.ts'

const mostMessages = 1_000
const mostCharacters = 8 * 1024 * 1024

/** The latest messages, as many as are worth keeping; the last one in any case. */
export function trimmed(messages: readonly UiMessage[]): UiMessage[] {
  let left = mostCharacters
  const kept = messages.slice(-mostMessages).toReversed()
  const beyond = kept.findIndex((message) => (left -= JSON.stringify(message).length) < 0)
  return (beyond === -1 ? kept : kept.slice(0, Math.max(beyond, 1))).toReversed()
}
