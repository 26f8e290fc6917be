import type { Principal } from '#contract/access.ts'
import type { StreamReader } from '#events/streams.ts'
import type { Doorkeeper } from './doorkeeper.ts'

/** With what somebody came in. */
export interface Right {
  token: string
  principal: Principal
  /** When it expires, if it does. */
  until: Date | undefined
}

/** One answer that is still being given. */
export interface Held {
  /** Aborts when the right to it is gone. */
  ended: AbortSignal
  /** Looks now. */
  check(): Promise<void>
  /** It is over by itself. */
  release(): void
}

interface Needs {
  streams: Pick<StreamReader, 'onRevoked'>
  doorkeeper: Pick<Doorkeeper, 'admit'>
}

const longestTimer = 2 ** 31 - 1
/** Nobody tells of tokens that go along with something else that is deleted. */
const lookMs = 30_000

/**
 * Ends what is open for those whose token has died or expired. Asks about the token itself: a call that is under way with another one of the
 * same person is not cut off because they have logged out somewhere.
 */
export function openHolds({ streams, doorkeeper }: Needs): (right: Right) => Held {
  const held = new Map<Held, ReadonlySet<string | undefined>>()
  streams.onRevoked((whose) => {
    for (const [one, names] of held) if (whose === undefined || names.has(whose)) void one.check()
  })
  setInterval(() => {
    for (const one of held.keys()) void one.check()
  }, lookMs).unref()

  return ({ token, principal, until }) => {
    const end = new AbortController()
    let timer: NodeJS.Timeout | undefined
    const expireAt = (date: Date | undefined) => {
      clearTimeout(timer)
      if (!date || !held.has(one)) return
      const left = Math.min(Math.max(date.getTime() - Date.now(), 0) + 10, longestTimer)
      timer = setTimeout(() => void one.check(), left).unref()
    }
    const one: Held = {
      ended: end.signal,
      async check() {
        try {
          const credential = await doorkeeper.admit(token)
          expireAt(credential.kind === 'token' ? undefined : credential.expiresAt)
        } catch {
          // Whoever still may comes back.
          end.abort()
          one.release()
        }
      },
      release() {
        clearTimeout(timer)
        held.delete(one)
      },
    }
    const { id, agent } = principal
    held.set(one, new Set([id, agent?.sessionId, agent?.onBehalfOf]))
    expireAt(until)
    return one
  }
}
