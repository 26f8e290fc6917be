import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import type { Talk } from './talk.ts'

/** Whose call it is, and of what: nobody else goes on with it, and nothing else does. */
export interface Claim {
  principal: string
  what: string
}

/** Calls that have asked something, until the client comes back with the state that it was given. */
export interface PausedCalls {
  /** Answers with the state; it is good for once. Nothing: too many are waiting. */
  put(talk: Talk<unknown>, claim: Claim): string | undefined
  /** Throws for a state that is not ours, not theirs, used or too old. */
  take(state: string, claim: Claim): Talk<unknown>
  close(): void
}

interface Limits {
  lifeMs: number
  most: number
  mostOfOne: number
}
const usual: Limits = { lifeMs: 600_000, most: 2_000, mostOfOne: 100 }

export function openPausedCalls(limits: Partial<Limits> = {}): PausedCalls {
  const { lifeMs, most, mostOfOne } = { ...usual, ...limits }
  const key = randomBytes(32)
  const waiting = new Map<string, { talk: Talk<unknown>; principal: string; timer: NodeJS.Timeout }>()

  const seal = (id: string, { principal, what }: Claim): Buffer =>
    createHmac('sha256', key)
      .update(JSON.stringify([id, principal, what]))
      .digest()

  return {
    put(talk, claim) {
      const { principal } = claim
      const theirs = waiting.values().filter((call) => call.principal === principal)
      if (waiting.size >= most || [...theirs].length >= mostOfOne) return undefined
      const id = randomBytes(16).toString('base64url')
      const timer = setTimeout(() => {
        waiting.delete(id)
        talk.end('Nobody has answered in time')
      }, lifeMs).unref()
      waiting.set(id, { talk, principal, timer })
      return `${id}.${seal(id, claim).toString('base64url')}`
    },
    take(state, claim) {
      const [id = '', given = ''] = state.split('.', 2)
      const wanted = seal(id, claim)
      const told = Buffer.from(given, 'base64url')
      const call = waiting.get(id)
      if (!call || told.length !== wanted.length || !timingSafeEqual(told, wanted)) throw unknownState()
      waiting.delete(id)
      clearTimeout(call.timer)
      return call.talk
    },
    close() {
      for (const { talk, timer } of waiting.values()) {
        clearTimeout(timer)
        talk.end('Signalbox stops')
      }
      waiting.clear()
    },
  }
}

const unknownState = () =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', {
    reason: 'invalid_request_state',
  })
