import type { Caller, CallHands } from '../port.ts'

/** How much each caller wants to hear of what an upstream logs. */
export interface LogLevels {
  /** What is no level is not kept. */
  set: (caller: Caller, level: unknown) => void
  of: (caller: Caller) => string
  /** For an upstream that has one level for all who share a connection: what anybody wants to hear, also who has not said so. */
  mostDetailed: () => string
  /** The same hands, that leave out what others wanted to hear. */
  heardBy: (caller: Caller, hands: CallHands) => CallHands
}

const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']
const usual = 'info'
const mostCallers = 1_000

export function openLogLevels(): LogLevels {
  const wanted = new Map<string, string>()
  const of = (caller: Caller) => wanted.get(keyOf(caller)) ?? usual
  return {
    of,
    set(caller, level) {
      if (typeof level !== 'string' || !levels.includes(level)) return
      wanted.delete(keyOf(caller))
      wanted.set(keyOf(caller), level)
      const [oldest] = wanted.keys()
      if (wanted.size > mostCallers && oldest !== undefined) wanted.delete(oldest)
    },
    mostDetailed: () => levels.find((level) => new Set([usual, ...wanted.values()]).has(level)) ?? usual,
    heardBy(caller, hands) {
      const { onLog } = hands
      // As long as nobody has said anything, the upstream decides.
      if (!onLog || wanted.size === 0) return hands
      const from = levels.indexOf(of(caller))
      return { ...hands, onLog: (params) => void (rankOf(params['level']) < from || onLog(params)) }
    },
  }
}

const keyOf = ({ id, sessionId }: Caller) => JSON.stringify([id, sessionId])

/** What has no level that we know is heard. */
function rankOf(level: unknown): number {
  const rank = levels.indexOf(String(level))
  return rank < 0 ? levels.length : rank
}
