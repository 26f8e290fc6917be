import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** What calls itself `localhost` listens on either of the two, and often on one alone. */
const loopbacks = ['127.0.0.1', '::1']
/** For each of the two: whoever asks waits for 10 s. One whose queue is full neither accepts nor refuses. */
const patienceMs = 5_000

/** A connection to what listens on this port of our own loopback. Rejects when nothing does. Either side may end before the other. */
export async function connectInside(port: number): Promise<Socket> {
  for (const host of loopbacks) {
    const socket = await opened(host, port)
    if (socket) return socket
  }
  throw new Error(`Nothing listens on port ${port}`)
}

export async function acceptsInside(port: number): Promise<boolean> {
  const socket = await connectInside(port).catch(() => undefined)
  socket?.destroy()
  return socket !== undefined
}

function opened(host: string, port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, allowHalfOpen: true })
    const timer = setTimeout(() => socket.destroy(), patienceMs)
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
    socket.once('error', () => undefined) // told by its end
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.removeAllListeners('error')
      socket.on('error', () => undefined) // told by its end
      resolve(socket)
    })
  })
}
