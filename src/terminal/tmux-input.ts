import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Meter } from './tmux-meter.ts'

/** What is typed into a tmux client, and pasted past its keyboard. */
export interface Input {
  /** Answers false when no more should come until it was drained. */
  write(bytes: Buffer): boolean
  close(): void
}

interface Needs {
  /** The keyboard. */
  keys: Writable
  /** A key that means only that all before it have been taken: behind it a paste can go past the keyboard. */
  barrier: string
  /** Gives bytes to the program as they are, once the barrier was taken where there is one. Never rejects. */
  paste: (bytes: Buffer, isBehindBarrier: boolean) => Promise<void>
  meter: Pick<Meter, 'given' | 'unread'>
  drained: () => void
  /** So much was not passed on, for a program that does not read. */
  refused: (bytes: number) => void
  /** For so long a program may read nothing at all. */
  stallMs?: number
}

/** Tmux looks at each key of what is typed, which takes a microsecond: nobody types so much at once. */
const typedAtMost = 8 * 1024
const pastedAtOnce = 512 * 1024
/** What was typed and tmux was not given; beyond it whoever types is made to wait. */
const mostWaiting = 512 * 1024
/** What tmux was given and the program has not read; what a person types may be that much again. */
const mostUnread = 1024 * 1024
const byHand = 64
/** Tmux takes so long to decide that a key is only the beginning of one. */
const unfinishedMs = 70
const lookMs = 10
const usualStallMs = 10_000

/** Keeps everything in its order: what is pasted waits for what was typed before it, and what follows waits for that. */
export function openInput(needs: Needs): Input {
  const { keys, barrier, paste, meter, drained, refused, stallMs = usualStallMs } = needs
  let waiting: Buffer[] = []
  let isBusy = false
  let isClosed = false
  let isFull = false
  /** The program has read nothing for long, with so much before it: whoever waited for it would wait for ever. */
  let stalledAt: number | undefined
  /** What was typed since the last barrier. */
  let typed: { at: number; isUnfinished: boolean } | undefined

  async function pump(): Promise<void> {
    isBusy = true
    while (waiting.length > 0 && !isClosed) {
      const next = gathered()
      if (!(await hasRoomFor(next))) letGoOf(next)
      else if (next.length > typedAtMost) await pasteBehind(next)
      else type(next)
      tellDrained()
    }
    isBusy = false
    tellDrained()
  }

  function type(bytes: Buffer): void {
    const isUnfinished = bytes.subarray(-byHand).some((byte) => byte === 0x1b || byte > 0x7f)
    typed = { at: performance.now(), isUnfinished }
    meter.given(bytes.length)
    keys.write(bytes)
  }

  async function pasteBehind(bytes: Buffer): Promise<void> {
    const before = typed
    typed = undefined
    if (before?.isUnfinished) await wait(Math.max(0, before.at + unfinishedMs - performance.now()))
    if (isClosed) return
    meter.given(bytes.length)
    if (before) keys.write(barrier)
    await paste(bytes, before !== undefined)
  }

  /** Waits until the program has read enough to be given more. False when it reads nothing at all. */
  async function hasRoomFor({ length }: Buffer): Promise<boolean> {
    const most = length > byHand ? mostUnread : 2 * mostUnread
    let least = stalledAt ?? Infinity
    let since = performance.now()
    while (!isClosed) {
      const left = meter.unread() ?? 0
      if (left < most) {
        if (left < mostUnread) stalledAt = undefined
        return true
      }
      if (left < least) {
        stalledAt = undefined
        least = left
        since = performance.now()
      }
      if (stalledAt !== undefined || performance.now() - since > stallMs) {
        stalledAt = left
        return false
      }
      await wait(lookMs)
    }
    return false
  }

  /** Of this and of all that waits behind it. */
  function letGoOf({ length }: Buffer): void {
    const lost = length + sizeOf(waiting)
    waiting = []
    if (!isClosed) refused(lost)
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

  const amount = () => keys.writableLength + sizeOf(waiting)

  function tellDrained(): void {
    if (!isFull || isClosed || amount() >= mostWaiting) return
    isFull = false
    drained()
  }

  keys.on('drain', tellDrained)
  return {
    write(bytes) {
      waiting.push(bytes)
      if (!isBusy) void pump()
      isFull = amount() >= mostWaiting
      return !isFull
    },
    close() {
      isClosed = true
      waiting = []
    },
  }
}

const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0)
