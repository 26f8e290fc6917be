/**
 * Does the work until it is done, its time is over, or the run's own signal comes; then its own signal says so, and nobody waits for it any
 * longer. Rejects with what `late` says, or with the signal's reason.
 */
export async function within<Result>(
  ms: number,
  late: () => Error,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted()
  const ending = new AbortController()
  const over = Promise.withResolvers<never>()
  const end = (reason: unknown) => {
    over.reject(reason)
    ending.abort(reason)
  }
  const hangUp = () => end(signal.reason)
  const timer = setTimeout(() => end(late()), Math.min(ms, 2_147_483_647))
  signal.addEventListener('abort', hangUp, { once: true })
  try {
    return await Promise.race([work(ending.signal), over.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', hangUp)
  }
}
