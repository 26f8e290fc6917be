import { Refusal, tradeToken } from '../../api.ts'
import { keepSession, takeTokenFromAddress } from '../../session.ts'
import { createStore } from '../../store.ts'
import { strings } from '../../strings/page.ts'

/** How the last attempt to log in went. */
export const attempt = createStore<{ isUnderWay: boolean; problem: string | null }>({
  isUnderWay: false,
  problem: null,
})

export async function logIn(token: string): Promise<void> {
  attempt.set({ isUnderWay: true, problem: null })
  try {
    keepSession(await tradeToken(token.trim()))
    attempt.set({ isUnderWay: false, problem: null })
  } catch (error) {
    const isRefused = error instanceof Refusal && error.status === 401
    const problem = isRefused || !(error instanceof Error) ? strings.login.refused : error.message
    attempt.set({ isUnderWay: false, problem })
  }
}

/** The printed link logs in by itself, also when it is opened in a tab that is open already. */
export function logInFromAddress(): void {
  window.addEventListener('hashchange', tradeTokenInAddress)
  tradeTokenInAddress()
}

function tradeTokenInAddress(): void {
  const token = takeTokenFromAddress()
  if (token) void logIn(token)
}
