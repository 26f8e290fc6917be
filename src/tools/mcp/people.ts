import type { Caller } from '../port.ts'
import type { Connection } from './connection.ts'

/** The connections of a source: one for all, or one for each person, where people let us in by themselves. */
export interface Connections {
  /** Made when it is not there yet. */
  of: (caller: Caller) => Connection
  all: () => readonly Connection[]
  close: () => Promise<void>
}

const idleMs = 30 * 60_000

export function oneForAll(connection: Connection): Connections {
  return { of: () => connection, all: () => [connection], close: () => connection.close() }
}

/** Those that nobody has used for a while are closed. */
export function oneForEach(open: (caller: Caller) => Connection): Connections {
  const personal = new Map<string, { connection: Connection; usedAt: number }>()
  const endings = new Set<Promise<void>>()
  const drop = (id: string, connection: Connection) => {
    personal.delete(id)
    const ending = connection.close().finally(() => endings.delete(ending))
    endings.add(ending)
  }
  const sweep = setInterval(() => {
    for (const [id, { connection, usedAt }] of personal)
      if (Date.now() - usedAt > idleMs && !connection.link()?.isBusy()) drop(id, connection)
  }, idleMs / 10)
  return {
    of(caller) {
      const id = personOf(caller)
      const known = personal.get(id) ?? { connection: open(caller), usedAt: 0 }
      known.usedAt = Date.now()
      personal.set(id, known)
      return known.connection
    },
    all: () => [...personal.values()].map(({ connection }) => connection),
    async close() {
      clearInterval(sweep)
      for (const [id, { connection }] of personal) drop(id, connection)
      await Promise.all(endings)
    },
  }
}

/** What an agent does upstream it does with what was given to the person whose session it is. */
export const personOf = (caller: Caller): string => (caller.kind === 'agent' ? caller.onBehalfOf : caller.id)
