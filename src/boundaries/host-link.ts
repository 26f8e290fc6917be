import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs'
import { connect } from 'node:http2'
import type { ClientHttp2Session } from 'node:http2'
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { basename, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { HOST_PROTOCOL, inside } from '#contract/host.ts'
import type { Hello } from '#contract/host.ts'
import type { InsideOwner } from '#lib/inside-owner.ts'
import { NotStarted } from '#lib/program.ts'
import type { TakeDial } from './port.ts'
import { readHello } from './read-hello.ts'

export interface LinkParts {
  /** Made anew, and removed at the end. It is what is mounted at /run/signalbox inside. */
  folder: string
  /** Who may connect. */
  owner: InsideOwner
  takeDial: TakeDial
  log: (line: string) => void
}

/** The keeper's end of the line to a host. */
export interface HostLink {
  socketFolder: string
  /** The host, once it has dialled. Rejects with NotStarted when it does not in time, or when the signal says so. */
  connected(patienceMs: number, signal?: AbortSignal): Promise<ClientHttp2Session>
  /** Takes a connection from inside that came another way than by the socket. */
  take(connection: Duplex): void
  /** Resolves, with the reason, when the host is not connected any more. */
  lost: Promise<string>
  close(): void
}

const longestPath = 107
const mostConnections = 256
/** Whoever is inside could fill our log with them. */
const mostTold = 20
/** Of one stream that nobody reads, so much is held here; the rest waits inside. */
const streamWindow = 1 << 20
const sessionWindow = 16 << 20

export async function openHostLink({ folder, owner, takeDial, log }: LinkParts): Promise<HostLink> {
  const path = join(folder, basename(inside.socket))
  if (Buffer.byteLength(path) > longestPath)
    throw new NotStarted(`The path of a socket would be too long for the system: ${path}`)
  const host = Promise.withResolvers<ClientHttp2Session>()
  const lost = Promise.withResolvers<string>()
  host.promise.catch(() => undefined)
  let isServed = false
  let dropped = 0

  async function take(connection: Duplex): Promise<void> {
    connection.on('error', () => undefined) // whoever has it next sees that it is closed
    try {
      welcome(await readHello(connection), connection)
    } catch (error) {
      connection.destroy()
      dropped += 1
      if (dropped <= mostTold)
        log(`A connection from inside was dropped: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  function welcome({ purpose, protocol }: Hello, connection: Duplex): void {
    if (protocol !== HOST_PROTOCOL) throw new Error(`it speaks the protocol ${protocol}`)
    if (purpose !== 'serve') return takeDial(purpose, connection)
    if (isServed) throw new Error('another host is connected')
    isServed = true
    const session = speakTo(connection)
    session.once('close', () => lost.resolve('its host has ended, or hung up'))
    session.once('error', (error) => lost.resolve(`its host does not keep to the protocol: ${error.message}`))
    host.resolve(session)
  }

  makeFolder(folder, owner)
  const connections = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
    void take(connection)
  })
  server.maxConnections = mostConnections
  server.listen(path)
  await once(server, 'listening')
  chmodSync(path, 0o600)
  if (process.getuid?.() === 0) chownSync(path, owner.uid, owner.gid)

  return {
    socketFolder: folder,
    lost: lost.promise,
    take: (connection) => void take(connection),
    async connected(patienceMs, signal) {
      const late = AbortSignal.timeout(patienceMs)
      const given = AbortSignal.any([late, ...(signal ? [signal] : [])])
      const stopped = once(given, 'abort').then(() => {
        throw new NotStarted(
          late.aborted ? `its host did not answer within ${patienceMs / 1000} s` : 'it was given up',
        )
      })
      return Promise.race([host.promise, stopped])
    },
    close() {
      server.close()
      lost.resolve('it was closed')
      void host.promise.then(
        (session) => session.destroy(),
        () => undefined,
      )
      host.reject(new NotStarted('it was closed before its host was there'))
      for (const connection of connections) connection.destroy()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Others of this machine do not come as far: the folder above is nobody else's. */
function makeFolder(folder: string, owner: InsideOwner): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  chmodSync(folder, owner.uid === process.getuid?.() ? 0o700 : 0o711)
}

/** HTTP/2 with the roles turned round: the host has dialled, and the host answers. */
function speakTo(connection: Duplex): ClientHttp2Session {
  connection.allowHalfOpen = false
  const session = connect('http://host', {
    createConnection: () => connection,
    maxSessionMemory: 256,
    maxReservedRemoteStreams: 0,
    settings: { enablePush: false, initialWindowSize: streamWindow, maxHeaderListSize: 16 << 10 },
  })
  session.once('connect', () => session.setLocalWindowSize(sessionWindow))
  return session
}
