import type { Writable } from 'node:stream'

/** What is typed into a tmux client, and pasted past its keyboard. */
export interface Input {
  /** Answers false when no more should come until it was drained. */
  write(bytes: Buffer): boolean
  close(): void
}

interface Needs {
  /** The keyboard. */
  keys: Writable
  /** Gives bytes to the program as they are. Never rejects. */
  paste: (bytes: Buffer) => Promise<void>
  drained: () => void
}

/** Tmux looks at each key of what is typed, which takes a microsecond: nobody types so much at once. */
const typedAtMost = 8 * 1024
const pastedAtOnce = 1024 * 1024
/** What was typed and the program has not read; beyond it whoever types is made to wait. */
const mostUnread = 512 * 1024

/** Keeps everything in its order: what is pasted waits for what was typed before it, and what follows waits for that. */
export function openInput({ keys, paste, drained }: Needs): Input {
  let waiting: Buffer[] = []
  let isBusy = false
  let isClosed = false
  let isFull = false

  async function pump(): Promise<void> {
    isBusy = true
    while (waiting.length > 0 && !isClosed) {
      const next = gathered()
      if (next.length > typedAtMost) {
        await untilTyped()
        if (!isClosed) await paste(next)
      } else keys.write(next)
    }
    isBusy = false
    tellDrained()
  }

  /** What waits, as far as it goes at once. */
  function gathered(): Buffer {
    let size = 0
    let count = 0
    while (count < waiting.length && (count === 0 || size + waiting[count]!.length <= pastedAtOnce)) {
      size += waiting[count]!.length
      count += 1
    }
    return Buffer.concat(waiting.splice(0, count), size)
  }

  async function untilTyped(): Promise<void> {
    while (keys.writableLength > 0 && !isClosed && !keys.destroyed)
      await new Promise<void>((resolve) => {
        const done = () => {
          keys.off('drain', done).off('close', done)
          resolve()
        }
        keys.on('drain', done).on('close', done)
        setTimeout(done, 20)
      })
  }

  const unread = () => keys.writableLength + waiting.reduce((sum, { length }) => sum + length, 0)

  function tellDrained(): void {
    if (!isFull || isClosed || unread() >= mostUnread) return
    isFull = false
    drained()
  }

  keys.on('drain', tellDrained)
  return {
    write(bytes) {
      waiting.push(bytes)
      if (!isBusy) void pump()
      isFull = unread() >= mostUnread
      return !isFull
    },
    close() {
      isClosed = true
      waiting = []
    },
  }
}
