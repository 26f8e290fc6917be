import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { inside } from '#contract/host.ts'
import type { Hello } from '#contract/host.ts'

type Purpose = Exclude<Hello['purpose'], 'serve'>

export interface Gates {
  /** What could not be opened, and why, for whoever asks after our health. */
  troubles: string[]
  close(): void
}

const usualPorts: Record<Purpose, number> = { egress: inside.proxyPort, forward: inside.forwardPort }

/**
 * The ways out, on loopback: the proxy, and the forwards. Each connection is one that the keeper is dialled for, and the keeper
 * decides. Never rejects: a port that is taken is told and done without.
 */
export async function openGates(
  dial: (purpose: Purpose) => Promise<Duplex>,
  ports: Record<Purpose, number> = usualPorts,
): Promise<Gates> {
  const opened = await Promise.all([
    openPort(ports.egress, () => dial('egress')),
    openPort(ports.forward, () => dial('forward')),
  ])
  return {
    troubles: opened.flatMap(({ trouble }) => trouble ?? []),
    close: () => opened.forEach((one) => one.close()),
  }
}

interface Opened {
  trouble?: string
  close: () => void
}

function openPort(port: number, dial: () => Promise<Duplex>): Promise<Opened> {
  const sockets = new Set<Socket>()
  // What one side has finished saying the other may still answer.
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    void join(socket, dial)
  })
  return new Promise((resolve) => {
    server.once('error', (error) =>
      resolve({
        trouble: `Port ${port} cannot be used, so what needs it cannot get out: ${error.message}`,
        close: () => undefined,
      }),
    )
    server.listen(port, '127.0.0.1', () => {
      server.on('error', () => undefined)
      resolve({
        close() {
          server.close()
          for (const socket of sockets) socket.destroy()
        },
      })
    })
  })
}

async function join(socket: Socket, dial: () => Promise<Duplex>): Promise<void> {
  const out = await dial().catch(() => undefined)
  if (!out) return void socket.destroy()
  out.on('error', () => out.destroy())
  out.once('close', () => socket.destroySoon())
  socket.once('close', () => out.destroy())
  if (socket.destroyed) return void out.destroy()
  socket.pipe(out)
  out.pipe(socket)
}
