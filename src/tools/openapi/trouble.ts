import type { CallFailed } from '../port.ts'
import type { ApiAnswer } from './send.ts'

type Last = { status: 'healthy' | 'unauthorized' | 'unhealthy'; error: string | null; errorAt: string | null }

/** What the last calls tell of how the server is. A call that goes well ends it. */
export interface Trouble {
  answered(called: string, answer: Pick<ApiAnswer, 'status' | 'statusText'>): void
  failed(called: string, error: CallFailed): void
  last(): Last
}

const none: Last = { status: 'healthy', error: null, errorAt: null }

export function openTrouble(onChange: () => void): Trouble {
  let last = none
  const set = (status: Last['status'], error: string) => {
    const isNews = last.status !== status || last.error !== error
    last = { status, error, errorAt: new Date().toISOString() }
    if (isNews) onChange()
  }
  return {
    answered(called, { status, statusText }) {
      const said = `${called} was answered with ${status} ${statusText}`.trim()
      if (status === 401) set('unauthorized', `${said}: check the token or the headers of this source`)
      else if (status === 403)
        set('healthy', `${said}: the token or the headers of this source do not open it`)
      else if (last !== none) {
        last = none
        onChange()
      }
    },
    failed(called, error) {
      if (error.reason === 'source_unauthorized') set('unauthorized', error.message)
      else if (error.reason === 'source_unavailable') set('unhealthy', `${called}: ${error.message}`)
    },
    last: () => last,
  }
}
