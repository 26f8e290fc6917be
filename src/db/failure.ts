const awayCodes = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  '25006', // read-only: a standby that was not promoted yet
  '40001', // serialization failure
  '40P01', // deadlock
  '53100', // disk full
  '53300', // too many connections
  '55P03', // lock not available: somebody holds it for too long
  '57014', // statement time-out
  '57P04', // database dropped
  '57P01', // admin shutdown
  '57P02', // crash shutdown
  '57P03', // cannot connect now
])

/** A statement took longer than it may. The database may be busy; or it is too much, and will be the next time. */
export function isTooSlow(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && cause.code === '57014') return true
  return false
}

/** Says whether a failed statement means that Postgres is away or busy, rather than that the statement was wrong. */
export function isDatabaseAway(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
    if (awayCodes.has(code) || code.startsWith('08')) return true
    if (code === 'ENOENT' && 'syscall' in cause && cause.syscall === 'connect') return true // the socket is gone
    if (
      /^Connection terminated|timeout exceeded when trying to connect|^Client has encountered a connection error|not queryable/.test(
        cause.message,
      )
    )
      return true
    if (cause instanceof AggregateError && cause.errors.some(isDatabaseAway)) return true
  }
  return false
}
