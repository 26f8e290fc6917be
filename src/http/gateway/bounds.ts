import type { Socket } from 'socket.io'

/** So much may wait until a client reads on. What is read from the log comes in smaller pieces. */
const mostUnread = 2_000

/** Lets go of whoever makes us say more than they read, and of whoever knocks anywhere but at the one door, or twice. */
export function keepInBounds(conn: Socket['conn']): void {
  let unread = 0
  let hasKnocked = false
  conn.on('flush', () => (unread = 0))
  conn.on('packetCreate', () => {
    unread += 1
    if (unread > mostUnread) conn.close(true)
  })
  conn.prependListener('data', (data: unknown) => {
    if (typeof data !== 'string' || !data.startsWith('0')) return // says something; a 0 asks for a conversation
    if (hasKnocked || data.startsWith('0/')) conn.close(true)
    hasKnocked = true
  })
}
