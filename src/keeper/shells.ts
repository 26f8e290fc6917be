import type { AskShell, KeptTerminal } from '#contract/keeper.ts'
import { SessionTerminals } from './take-over.ts'
import type { TerminalParts } from './tmux-terminal.ts'

/** The shells of one workspace: that of each session, and its own. */
export interface Shells {
  readonly all: KeptTerminal[]
  /** Opened once, however often it is asked for. Rejects with Refused. */
  open(id: string, asked: AskShell): Promise<KeptTerminal>
  /** False when something outlived SIGKILL. */
  close(id: string): Promise<boolean>
  endAll(): Promise<void>
}

/** A shell is there at once, or is not there. */
const firstLookMs = 150
const lookMs = 30_000
/** An interactive shell does not heed SIGTERM, and it is the last thing that anybody waits for. */
const graceMs = 500

export function openShells(parts: TerminalParts & { markOf: (id: string) => string }): Shells {
  const terminals = new SessionTerminals({ ...parts, firstLookMs })
  /** When somebody last looked at one, and how long it stays without. */
  const seen = new Map<string, { at: number; unseenMs: number }>()
  let looking: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    const living = new Set(terminals.all.map(({ sessionId }) => sessionId))
    for (const [id, { at, unseenMs }] of seen) {
      if (!living.has(id)) seen.delete(id)
      else if ((await terminals.viewers(id)) > 0) seen.set(id, { at: performance.now(), unseenMs })
      else if (performance.now() - at > unseenMs) await close(id)
    }
    if (seen.size === 0) clearInterval(looking)
  }

  function close(id: string): Promise<boolean> {
    seen.delete(id)
    return terminals.close(id, 0)
  }

  return {
    get all() {
      return terminals.all
    },
    async open(id, asked) {
      const terminal = await terminals.open(id, asked, () => Promise.resolve())
      seen.set(id, { at: performance.now(), unseenMs: asked.unseenMs })
      clearInterval(looking)
      const shortest = Math.min(...[...seen.values()].map(({ unseenMs }) => unseenMs))
      looking = setInterval(() => void look(), Math.min(lookMs, Math.max(shortest / 2, 50)))
      return terminal
    },
    close,
    async endAll() {
      clearInterval(looking)
      await terminals.endAll(graceMs)
    },
  }
}
