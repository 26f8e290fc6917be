import { LOG_LEVEL_META_KEY, isInputRequiredResult } from '@modelcontextprotocol/client'
import { setTimeout as wait } from 'node:timers/promises'
import { CallFailed } from '../port.ts'
import type { CallHands, InputRequest } from '../port.ts'
import { answersTo } from './answers.ts'
import type { Asked, Link } from './link.ts'
import { asCallFailed } from './why.ts'

const mostRounds = 10
const pauseMs = 250

/**
 * Asks, and while the upstream (of 2026) wants to know something first, asks whoever called, all questions of a round at once, and asks again
 * with the answers. Rejects with CallFailed.
 */
export async function converse(
  link: Link,
  asked: Asked,
  hands: CallHands,
  logLevel: string,
): Promise<unknown> {
  const meta = { ...hands.meta, ...(link.isModern && hands.onLog && { [LOG_LEVEL_META_KEY]: logLevel }) }
  const params = { ...asked.params, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
  let more = {}
  for (let round = 0; round < mostRounds; round += 1) {
    const result = await link.request({ ...asked, params: { ...params, ...more } }, hands)
    if (!link.isModern || !isInputRequiredResult(result)) return result
    const { inputRequests = {}, requestState } = result
    const questions = inputRequests as Record<string, InputRequest>
    // It only wants to be asked again.
    if (Object.keys(questions).length === 0) await wait(pauseMs * round)
    const inputResponses = await answers(questions, hands)
    more = { inputResponses, ...(requestState !== undefined && { requestState }) }
  }
  throw new CallFailed('source_failed', `It wanted to know more ${mostRounds} times, and there it ends`)
}

async function answers(questions: Record<string, InputRequest>, hands: CallHands) {
  try {
    return await answersTo(questions, hands)
  } catch (error) {
    throw hands.signal.aborted
      ? new CallFailed('cancelled', 'The call was cancelled')
      : new CallFailed('source_failed', asCallFailed(error).message)
  }
}
