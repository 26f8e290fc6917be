import { join } from 'node:path'
import type { Config } from '#config/config.ts'

/** A program that `up` runs beside Postgres. */
interface Program {
  name: string
  /** A file that Node runs. It sends a `Ready` once it serves. */
  script: string
  /** What its environment adds to ours; `lastUrl` is where it served before it died. */
  env: (config: Config, lastUrl: string | undefined) => Record<string, string>
  /** It has others to end before itself: it is told so, and gets this long. It goes before those that have not. */
  farewellMs?: number
  /** For Node, instead of the usual ones. */
  nodeFlags?: readonly string[]
}

/** The first one is where people go. */
export const programs: readonly Program[] = [
  {
    name: 'web',
    script: join(import.meta.dirname, '../web.ts'),
    // On a port of the system's choice it must come back at the same one: its readers reconnect there.
    env: ({ port }, lastUrl) => ({ PORT: lastUrl ? new URL(lastUrl).port || '80' : String(port) }),
  },
  { name: 'worker', script: join(import.meta.dirname, '../worker.ts'), env: () => ({}), farewellMs: 7_500 },
  {
    name: 'terminal',
    script: join(import.meta.dirname, '../terminal.ts'),
    // It waits for people, and then passes bytes on: they are not on the heap.
    nodeFlags: ['--max-semi-space-size=2'],
    env: ({ terminalPort }, lastUrl) => ({
      TERMINAL_PORT: lastUrl ? new URL(lastUrl).port || '80' : String(terminalPort),
    }),
  },
]
