import type { FinishReason, ModelMessage } from 'ai'
import type { Chunk } from '#contract/agent-event.ts'
import { notice } from './notice.ts'

const endedBy: Partial<Record<FinishReason, string>> = {
  'content-filter': 'The answer was held back by a filter of the provider',
  error: 'The provider ended the answer because of an error of its own',
  other: 'The provider ended the answer without saying why',
}

/** What people should know of how an answer ended: nothing where it ended as answers do. */
export function noticeOfEnd(finish: FinishReason, mostTokens: number): Chunk | undefined {
  const why =
    finish === 'length'
      ? `The answer was cut off after ${mostTokens} tokens. MAX_OUTPUT_TOKENS allows longer ones`
      : endedBy[finish]
  return why === undefined ? undefined : notice(why)
}

/** Why a turn failed in which the model has said nothing at all. */
export function whyNothing(finish: FinishReason, mostTokens: number): string {
  if (finish === 'length')
    return `The model has said nothing: what it thought took all of the ${mostTokens} tokens that it may answer with. MAX_OUTPUT_TOKENS allows more`
  return `${endedBy[finish] ?? 'The model has ended its answer without a word'}: nothing was said. Ask again, in other words or of another model`
}

/** Whether there is anything in it for people: words, a call, a file. What was only thought is not said. */
export const isSomething = (messages: readonly ModelMessage[]): boolean =>
  messages.some(({ role, content }) => {
    if (role !== 'assistant') return false
    if (typeof content === 'string') return content.trim() !== ''
    return content.some((part) =>
      part.type === 'text' ? part.text.trim() !== '' : part.type !== 'reasoning',
    )
  })
