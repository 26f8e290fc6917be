import type { AskTerminal, TerminalToken } from '../../../src/contract/terminal.ts'
import { data, Refusal, send } from '../../api.ts'

export const askTerminal = (body: Partial<AskTerminal>) =>
  data(send<TerminalToken>('POST', '/terminal/token', { body }))

/** Too many at a time passes; not found, not allowed and gone do not. */
const passing = new Set([408, 425, 429])

/** What the server refuses is not asked for again by itself. */
export function refusalIn(error: unknown): { reason: string; canReturn: boolean } | undefined {
  if (!(error instanceof Refusal) || error.status < 400 || error.status >= 500) return undefined
  if (passing.has(error.status)) return undefined
  return { reason: error.message, canReturn: error.status === 409 || error.status === 422 }
}
