import type { CheckedCode, CodeResult, CodeTokens, CodeWaiting } from '../../../src/contract/execute.ts'
import { authorization, base, data, reach, refusalOf, send } from '../../api.ts'

/** The declarations as they are, which is text. */
async function declarations(sessionId: string | null, signal: AbortSignal): Promise<string> {
  const search = sessionId === null ? '' : `?sessionId=${encodeURIComponent(sessionId)}`
  const answer = await reach(`${base}/tools/api.d.ts${search}`, { headers: authorization(), signal })
  if (!answer.ok) throw await refusalOf(answer)
  return answer.text()
}

export const codeApi = {
  declarations,
  check: (code: string, sessionId: string | null, signal: AbortSignal) =>
    data(
      send<CheckedCode>('POST', '/execute/check', {
        body: { code, ...(sessionId !== null && { sessionId }) },
        signal,
      }),
    ),
  tokens: (signal: AbortSignal) => data(send<CodeTokens>('GET', '/execute/tokens', { signal })),
  ticket: () => data(send<{ ticket: string }>('POST', '/auth/ticket')),
  /** Of one that waits, or has waited. */
  result: (requestId: string) => data(send<CodeResult | CodeWaiting>('GET', `/execute/${requestId}`)),
  cancel: (requestId: string) => send<null>('DELETE', `/execute/${requestId}`),
}
