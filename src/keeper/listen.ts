import { once } from 'node:events'
import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { dirname } from 'node:path'
import type { Duplex } from 'node:stream'
import { restoreRuntimeFolder } from '#lib/runtime-folder.ts'

const lookMs = 2_000

export interface Listener {
  /** No one can connect any more; who is connected may go on. */
  close(): void
}

interface Answering {
  onRequest: RequestListener
  onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
}

/** Listens on a unix socket, and again when somebody sweeps its file away. */
export async function listenOn(
  path: string,
  { onTrouble, ...answering }: Answering & { onTrouble: (error: unknown) => void },
): Promise<Listener> {
  let server = await open(path, answering)
  let inode = inodeOf(path)
  let isBusy = false

  const look = async () => {
    if (isBusy || (inode !== undefined && inodeOf(path) === inode)) return
    isBusy = true
    try {
      server.close() // before the new one is there: closing removes whatever is at the path
      server = await open(path, answering)
      inode = inodeOf(path)
    } catch (error) {
      inode = undefined
      onTrouble(error)
    } finally {
      isBusy = false
    }
  }
  const timer = setInterval(() => void look(), lookMs)
  return {
    close() {
      clearInterval(timer)
      server.close()
    },
  }
}

async function open(path: string, { onRequest, onUpgrade }: Answering): Promise<Server> {
  restoreRuntimeFolder(dirname(path))
  rmSync(path, { force: true, recursive: true })
  // A launch may be long in coming from a busy worker, and progress takes as long as the execution.
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, onRequest)
  server.on('upgrade', onUpgrade)
  server.listen(path)
  await once(server, 'listening')
  chmodSync(path, 0o600)
  return server
}

const inodeOf = (path: string): bigint | undefined =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino
