import type { Logger } from 'pino'
import type { Listener } from './listen.ts'
import type { Database } from './pool.ts'
import { TERMINALS_CHANNEL } from './put-terminal.ts'
import { listTerminals } from './terminals.ts'
import type { TerminalPlace } from './terminals.ts'

/** Where terminals serve, as far as this process has heard. */
export interface LiveTerminals {
  /** Never waits and never fails: while the database is away, the last known are told. */
  current(): readonly TerminalPlace[]
  close(): void
}

interface Needs {
  db: Database
  listener: Pick<Listener, 'on' | 'onReconnect'>
  log: Pick<Logger, 'warn'>
}

/** Resolves when the table has been read once, or has been found to be away. */
export async function openLiveTerminals({ db, listener, log }: Needs): Promise<LiveTerminals> {
  let current: readonly TerminalPlace[] = []
  let newest = 0

  async function read(): Promise<void> {
    const mine = (newest += 1)
    try {
      const places = await listTerminals(db)
      if (mine === newest) current = places
    } catch (error) {
      log.warn({ err: error }, 'where terminals serve cannot be read, the last known places hold')
    }
  }

  const inBackground = () => void read()
  const endings = [listener.on(TERMINALS_CHANNEL, inBackground), listener.onReconnect(inBackground)]
  await read()
  return {
    current: () => current,
    close: () => {
      for (const end of endings) end()
    },
  }
}
