import type { CallFailed } from '../port.ts'
import type { ApiAnswer } from './send.ts'

type Last = { status: 'healthy' | 'unauthorized' | 'unhealthy'; error: string | null; errorAt: string | null }

/**
 * What the last calls tell of how the server is. A call that goes well ends it; and after a while nobody knows any more, for nobody asks the
 * server but those who call. What went wrong is told until then, and longer.
 */
export interface Trouble {
  answered(called: string, answer: Pick<ApiAnswer, 'status' | 'statusText'>): void
  failed(called: string, error: CallFailed): void
  last(): Last
  close(): void
}

const none: Last = { status: 'healthy', error: null, errorAt: null }
export const fadesMs = 30_000

export function openTrouble(onChange: () => void): Trouble {
  let last = none
  let timer: NodeJS.Timeout | undefined
  const become = (next: Last) => {
    const isNews = last.status !== next.status || last.error !== next.error
    last = next
    clearTimeout(timer)
    if (next.status !== 'healthy') {
      timer = setTimeout(() => become({ ...next, status: 'healthy' }), fadesMs).unref()
    }
    if (isNews) onChange()
  }
  const set = (status: Last['status'], error: string) =>
    become({ status, error, errorAt: new Date().toISOString() })
  return {
    answered(called, { status, statusText }) {
      const said = `${called} was answered with ${status} ${statusText}`.trim()
      if (status === 401) set('unauthorized', `${said}: check the token or the headers of this source`)
      else if (status === 403)
        set('healthy', `${said}: the token or the headers of this source do not open it`)
      else become(none)
    },
    failed(called, error) {
      if (error.reason === 'source_unauthorized') set('unauthorized', error.message)
      else if (error.reason === 'source_unavailable') set('unhealthy', `${called}: ${error.message}`)
    },
    last: () => last,
    close: () => clearTimeout(timer),
  }
}
