import type { Socket } from 'socket.io'

/** Resolves when what was sent has left this process, or never will. */
export async function drained(conn: Socket['conn'], signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !conn.transport.writable) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const over = () => resolve()
    const { transport } = conn
    transport.once('ready', over)
    conn.once('upgrade', over)
    signal.addEventListener('abort', over, { once: true })
    await promise
    transport.off('ready', over)
    conn.off('upgrade', over)
    signal.removeEventListener('abort', over)
  }
}
