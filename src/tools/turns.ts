import { CallFailed } from './port.ts'

const mostWaiting = 1_000

export type Turns = ReturnType<typeof openTurns>

/** So many at the same time; the others wait, and come in the order in which they asked. */
export function openTurns(source: string, mostAtFirst: number) {
  let most = mostAtFirst
  let running = 0
  const waiting = new Set<() => void>()

  function leave() {
    running -= 1
    letIn()
  }
  function letIn() {
    while (running < most) {
      const [next] = waiting
      if (!next) return
      waiting.delete(next)
      running += 1
      next()
    }
  }

  return {
    /** From now on so many: those who have a turn keep it. */
    allow(others: number): void {
      most = others
      letIn()
    },
    /** Resolves with what ends the turn. Rejects with the signal's reason, or with CallFailed when too many wait already. */
    async take(signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted()
      if (running < most) running += 1
      else await wait(signal)
      let hasLeft = false
      return () => {
        if (!hasLeft) leave()
        hasLeft = true
      }
    },
  }

  function wait(signal: AbortSignal): Promise<void> {
    if (waiting.size >= mostWaiting)
      throw new CallFailed(
        'too_many_calls',
        `${most} calls of ${source} are under way and ${mostWaiting} wait for their turn. Try again in a few seconds.`,
        // Not for us to try again: whoever calls so often has to wait.
        { isUnsent: false, context: { limit: most, retryAfterSec: 5 } },
      )
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(begin)
        reject(signal.reason as Error)
      }
      const begin = () => {
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      waiting.add(begin)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }
}
