import { randomUUID } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { AuthInfo, HandleRequestOptions, Server } from '@modelcontextprotocol/server'
import { openEventStore } from './event-store.ts'
import { rpcError } from './rpc-error.ts'

/** One client of the older protocol, from `initialize` until it says goodbye or is silent for too long. */
export interface Session {
  /** Whose it is; to anybody else it does not exist. */
  owner: string
  source: string | undefined
  server: Server
}

interface Kept extends Session {
  transport: WebStandardStreamableHTTPServerTransport
  usedAt: number
  /** Requests and streams that are open. */
  open: number
}

export interface Sessions {
  /** Answers a request of the session that it names, or one that begins a session. */
  serve(request: Request, body: unknown, who: Incoming): Promise<Response>
  of(source: string | undefined): Session[]
  close(): Promise<void>
}

export interface Incoming {
  owner: string
  source: string | undefined
  authInfo?: AuthInfo
  /** For a session that begins. */
  newServer?: () => Server
}

interface Limits {
  most: number
  mostOfOne: number
  idleMs: number
}
const usual: Limits = { most: 2_000, mostOfOne: 200, idleMs: 30 * 60_000 }

export function openSessions(limits: Partial<Limits> = {}): Sessions {
  const { most, mostOfOne, idleMs } = { ...usual, ...limits }
  const kept = new Map<string, Kept>()

  async function drop(id: string): Promise<void> {
    const session = kept.get(id)
    kept.delete(id)
    await session?.server.close()
  }

  const dropIdle = () =>
    Promise.all(
      [...kept].flatMap(([id, { open, usedAt }]) =>
        open === 0 && usedAt < Date.now() - idleMs ? [drop(id)] : [],
      ),
    )
  const sweeping = setInterval(() => void dropIdle(), Math.min(idleMs, 60_000)).unref()

  /** Makes room by ending what was silent the longest. False: there is nothing that could go. */
  async function makeRoom(owner: string): Promise<boolean> {
    const all = [...kept]
    const theirs = all.filter(([, session]) => session.owner === owner)
    const crowded = theirs.length >= mostOfOne ? theirs : all.length >= most ? all : []
    if (crowded.length === 0) return true
    const idle = crowded.filter(([, { open }]) => open === 0)
    const oldest = idle.toSorted(([, a], [, b]) => a.usedAt - b.usedAt)[0]
    if (oldest) await drop(oldest[0])
    return oldest !== undefined
  }

  async function begin(request: Request, body: unknown, who: Incoming) {
    const { owner, source, newServer } = who
    if (!newServer || request.method !== 'POST')
      return rpcError(405, -32_000, 'A session begins with initialize, by POST', body)
    if (!(await makeRoom(owner)))
      return rpcError(503, -32_000, 'Too many sessions are open. End some of them, or try again later', body)
    const server = newServer()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: openEventStore(),
      retryInterval: 1_000,
      onsessioninitialized: (id) => {
        kept.set(id, { owner, source, server, transport, usedAt: Date.now(), open: 0 })
      },
      onsessionclosed: (id) => drop(id),
    })
    await server.connect(transport)
    const response = await transport.handleRequest(request, withBody(who, body))
    // It was no `initialize` that could be understood.
    if (transport.sessionId === undefined) await server.close()
    return response
  }

  return {
    async serve(request, body, who) {
      const id = request.headers.get('mcp-session-id')
      if (id === null) return begin(request, body, who)
      const session = kept.get(id)
      if (!session || session.owner !== who.owner || session.source !== who.source)
        return rpcError(404, -32_001, 'Session not found. Begin a new one with initialize', body)
      session.open++
      const ended = () => {
        session.open--
        session.usedAt = Date.now()
      }
      try {
        return whenRead(await session.transport.handleRequest(request, withBody(who, body)), ended)
      } catch (error) {
        ended()
        throw error
      }
    },
    of: (source) => [...kept.values()].filter((session) => session.source === source),
    async close() {
      clearInterval(sweeping)
      await Promise.all([...kept.keys()].map(drop))
    },
  }
}

const withBody = ({ authInfo }: Incoming, body: unknown): HandleRequestOptions => ({
  ...(authInfo && { authInfo }),
  ...(body !== undefined && { parsedBody: body }),
})

/** The same answer, and a word when it has been read or is not wanted any more. */
export function whenRead(response: Response, ended: () => void): Response {
  if (!response.body) {
    ended()
    return response
  }
  const passing = new TransformStream<Uint8Array, Uint8Array>({ flush: ended, cancel: ended })
  return new Response(response.body.pipeThrough(passing), response)
}
