import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { tmuxSocketName } from '#contract/keeper-protocol.ts'
import type { AskWindow, FoundWindow, TerminalGrant } from '#contract/internal.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { Listener } from '#db/listen.ts'
import type { Database } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import type { ProblemCode } from '#domain/problem.ts'
import type { StreamReader } from '#events/streams.ts'
import { findAgentWindow } from '#flows/find-agent-window.ts'
import { admit, refuse } from './door.ts'
import { placeGone } from './place-gone.ts'
import { openSessionView } from './session-view.ts'
import { openTmuxClient } from './tmux-client.ts'
import { longestFrame, openViewer } from './viewer.ts'
import type { Viewer } from './viewer.ts'
import { openWatch } from './watch.ts'
import { openWindows } from './windows.ts'

export interface TerminalParts {
  db: Database
  machineId: string
  listener: Listener
  streams: Pick<StreamReader, 'follow'>
  log: Logger
  settings: () => { idleMs: number; maxViewers: number; maxPerWindow: number }
  /** Of the machine's sockets. */
  runtimeFolder: string
  path: string
  checkHost: (host: string | undefined) => void
  statusOf: Record<ProblemCode, number>
  /** Asks the worker, which opens the shell if it is not there. Throws Problems. */
  findShell(asked: AskWindow): Promise<FoundWindow>
  /** Nobody is here any more, nor on the way. */
  left?: () => void
  /** More often than usual, for tests. */
  beatMs?: number
}

/** The terminal of one machine. */
export interface Terminal {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  readonly viewers: number
  /** Nobody is here, nor on the way. */
  readonly isEmpty: boolean
  /** Whoever is here comes back to whoever serves next. */
  close(): void
}

const usualBeatMs = 15_000
const restarting = 1012

export function openTerminal(parts: TerminalParts): Terminal {
  const { db, machineId, listener, streams, log, settings, runtimeFolder, path, statusOf } = parts
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: 4 * longestFrame,
    perMessageDeflate: false,
    clientTracking: true,
  })
  const windows = openWindows()
  const viewers = new Set<Viewer>()
  const watch = openWatch({ db, listener, log, viewers })
  /** How many stand at the door. */
  let coming = 0

  const isEmpty = () => coming === 0 && viewers.size === 0
  const settle = () => void (isEmpty() && parts.left?.())

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    let grant: TerminalGrant
    try {
      grant = await admit(parts, request)
    } catch (error) {
      const problem = problemOf(error)
      if (!problem) throw error
      return refuse(socket, statusOf[problem.code], problem)
    }
    server.handleUpgrade(request, socket, head, (web) => welcome(web, grant))
  }

  function welcome(web: WebSocket, grant: TerminalGrant): void {
    const { window, readOnly, ...place } = grant
    const viewer = openViewer({
      socket: web,
      grant,
      windows,
      find: () =>
        window === 'agent' && place.sessionId !== undefined
          ? findAgentWindow(db, place.sessionId, machineId)
          : parts.findShell({ window: 'shell', sessionId: place.sessionId, workspaceId: place.workspaceId }),
      gone: () => placeGone(db, place),
      async open(terminal, size, reader) {
        if (terminal === null) return openSessionView({ db, streams }, place.sessionId ?? '', reader)
        const socket = join(runtimeFolder, tmuxSocketName(terminal))
        return openTmuxClient({ socket, path, readOnly }, size, reader)
      },
      idleMs: settings().idleMs,
      beatMs: parts.beatMs ?? usualBeatMs,
      log,
    })
    viewers.add(viewer)
    web.on('close', () => {
      viewers.delete(viewer)
      settle()
    })
    const { maxViewers, maxPerWindow } = settings()
    const beside = [...viewers].filter(({ grant: other }) => isSameWindow(other, grant)).length
    // Told on the socket: a page is not shown why one was refused.
    if (viewers.size > maxViewers)
      viewer.end(
        `${maxViewers} terminals are open on this machine, which is as many as may be (TERMINAL_MAX_VIEWERS). Close one`,
        true,
      )
    else if (beside > maxPerWindow)
      viewer.end(
        `${maxPerWindow} look at this window already, which is as many as may (TERMINAL_MAX_PER_WINDOW)`,
        true,
      )
  }

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      coming += 1
      upgrade(request, socket, head)
        .catch((error: unknown) => {
          log.error({ err: error }, 'a socket failed on our side')
          socket.destroy()
        })
        .finally(() => {
          coming -= 1
          settle()
        })
    },
    get viewers() {
      return viewers.size
    },
    get isEmpty() {
      return isEmpty()
    },
    close() {
      watch.close()
      for (const web of server.clients) {
        web.close(restarting)
        setTimeout(() => web.terminate(), 300).unref()
      }
    },
  }
}

const isSameWindow = (one: TerminalGrant, other: TerminalGrant): boolean =>
  one.window === other.window && one.sessionId === other.sessionId && one.workspaceId === other.workspaceId

function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error
  if (!isDatabaseAway(error)) return undefined
  return new Problem('database_unavailable', 'The database is away or busy for the moment: try again')
}
