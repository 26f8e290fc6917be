/** Those who wait for something by its name. */
export interface Bells {
  ring(name: string): void
  ringAll(): void
  /** Resolves when it is rung from now on, after this time, or when nobody wants to wait any more. Never rejects. */
  rung(name: string, withinMs: number, signal: AbortSignal): Promise<void>
}

export function openBells(): Bells {
  const waiting = new Map<string, Set<() => void>>()

  const ring = (name: string) => {
    for (const wake of waiting.get(name) ?? []) wake()
  }

  return {
    ring,
    ringAll() {
      for (const name of waiting.keys()) ring(name)
    },
    async rung(name, withinMs, signal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = () => resolve()
      const wakers = waiting.get(name) ?? new Set()
      waiting.set(name, wakers.add(wake))
      const timer = setTimeout(wake, withinMs)
      signal.addEventListener('abort', wake)
      if (signal.aborted) wake()
      await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', wake)
      wakers.delete(wake)
      if (wakers.size === 0 && waiting.get(name) === wakers) waiting.delete(name)
    },
  }
}
