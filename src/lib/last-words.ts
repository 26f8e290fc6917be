import type { Duplex } from 'node:stream'

/** So long the other side has for reading them. */
const patienceMs = 1_000

/**
 * Ends a connection that nobody will use any more. The other side may never end it, or may have sent what nobody reads, behind which its
 * end is not seen: it is let go of all the same.
 */
export function lastWords(socket: Duplex, words?: string | Buffer): void {
  socket.on('error', () => socket.destroy())
  socket.resume()
  socket.end(words)
  const patience = setTimeout(() => socket.destroy(), patienceMs)
  socket.once('close', () => clearTimeout(patience))
}
