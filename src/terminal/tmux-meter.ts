import { readFileSync } from 'node:fs'

/** How much a server of tmux has been given for its program, and has not got rid of. */
export interface Meter {
  given(bytes: number): void
  /** So much has come out of it, to one of those who look. */
  drawn(bytes: number): void
  /** None where that cannot be known: it is the system that counts what a process writes. */
  unread(): number | undefined
  close(): void
}

/** What is on its way to one who looks was written before, and is seen after: the more of them, the less is known. */
const onTheWay = 128 * 1024

interface Server {
  clients: number
  given: number
  drawn: number
  /** All that it had written when the count began. */
  writtenBefore: number
}
const servers = new Map<number, Server>()

/**
 * Tmux takes whatever it is given, keeps it for a program that does not read, and tells nobody. But what it writes is either to the program or to
 * those who look, and the latter is seen here. Where it is wrong it takes more for read than was.
 */
export function openMeter(pid: number, written = () => writtenBy(pid)): Meter {
  const server = servers.get(pid) ?? { clients: 0, given: 0, drawn: 0, writtenBefore: written() ?? 0 }
  servers.set(pid, server)
  server.clients += 1

  function unread(): number | undefined {
    const now = written()
    if (now === undefined) return undefined
    const shown = Math.max(0, server.drawn - onTheWay * server.clients)
    const left = server.given - (now - server.writtenBefore - shown)
    if (left > 0) return left
    Object.assign(server, { given: 0, drawn: 0, writtenBefore: now })
    return 0
  }

  return {
    given(bytes) {
      unread() // what it wrote long ago, for whatever reason, is not for these
      server.given += bytes
    },
    drawn(bytes) {
      server.drawn += bytes
    },
    unread,
    close() {
      server.clients -= 1
      if (server.clients === 0) servers.delete(pid)
    },
  }
}

/** All bytes that a process has ever written; none where the system does not say. */
function writtenBy(pid: number): number | undefined {
  try {
    const [, count] = /^wchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? []
    return count === undefined ? undefined : Number(count)
  } catch {
    return undefined
  }
}
