import type { Controls } from './controls.ts'
import { isRecord } from './frame.ts'

const patienceMs = 2_000

/**
 * What Claude Code says that its session has cost so far, in dollars, with all that it was resumed or forked from; undefined where
 * it does not tell. It answers in words, which are rounded. What has figures asks the account's server as well.
 */
export async function askSessionCost(controls: Controls): Promise<number | undefined> {
  const outcome = await controls.ask('get_session_cost', {}, patienceMs)
  const told = 'response' in outcome && isRecord(outcome.response) ? String(outcome.response['text']) : ''
  const dollars = Number(/Total cost:\s*\$([\d,.]+)/.exec(told)?.[1]?.replaceAll(',', ''))
  return Number.isFinite(dollars) ? dollars : undefined
}
