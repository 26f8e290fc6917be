import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallFailed, Caller, CallHands } from '../port.ts'

/** One request of ours that an upstream has not answered yet. */
export interface Exchange {
  /** Missing where we ask for ourselves (is it there, which tools has it). */
  caller?: Caller
  hands: CallHands
  /** Done a while after nobody waits any more: closes whatever its answer may still come by. Taken out by whoever has nothing left to do. */
  afterwards: Set<() => void>
  /** Its answer is a stream, which may go on after it. */
  isStreamed?: boolean
  /** It will not be answered. */
  fail: (why: CallFailed) => void
}

/**
 * Which exchange the code that runs now belongs to. Over streamable HTTP, what a server says on the stream of a request is read in the
 * context of that request, which is how we know whose question it is.
 */
export const exchanges = new AsyncLocalStorage<Exchange>()

/**
 * Whose a message is that came by a pipe or socket, where nothing says it. That of the only caller who waits; the newest of their calls
 * when there are several. When different callers wait it is nobody's: a question must never reach the wrong person.
 */
export function ownerOf(open: Iterable<Exchange>): Exchange | undefined {
  const current = exchanges.getStore()
  if (current) return current
  const waiting = [...open].filter(({ caller }) => caller !== undefined)
  const [first] = waiting
  const isOneCaller = waiting.every(({ caller }) => sameCaller(caller, first?.caller))
  return isOneCaller ? waiting.at(-1) : undefined
}

const sameCaller = (one: Caller | undefined, other: Caller | undefined): boolean =>
  one?.id === other?.id && one?.sessionId === other?.sessionId
