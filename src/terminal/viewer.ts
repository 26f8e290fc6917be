import type { Logger } from 'pino'
import type { RawData, WebSocket } from 'ws'
import type { FoundWindow, TerminalGrant } from '#contract/internal.ts'
import { TerminalSaid } from '#contract/terminal.ts'
import type { TerminalTold } from '#contract/terminal.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { Problem } from '#domain/problem.ts'
import { openOutlet } from './outlet.ts'
import type { Reader, Size, Source } from './port.ts'
import type { Onlooker, Windows } from './windows.ts'

/** One socket, from when it was let in. */
export interface Viewer {
  readonly grant: TerminalGrant
  /** Looks whether what it shows has become something else, and shows that. Never rejects. */
  look(): Promise<void>
  end(reason: string, canReturn: boolean): void
}

export interface ViewerNeeds {
  socket: WebSocket
  grant: TerminalGrant
  windows: Windows
  /** What there is to be shown at present. Throws Problems. */
  find: () => Promise<FoundWindow>
  /** Why it will not be there again, if it will not. */
  gone: () => Promise<string | undefined>
  open(terminal: string | null, size: Size, reader: Reader): Promise<Source>
  idleMs: number
  beatMs: number
  log: Logger
}

/** A paste comes in pieces. What is longer than this is none of them; what is much longer is cut off while it comes. */
export const longestFrame = 1024 * 1024
const firstSizeMs = 1_000
const lastWordsMs = 1_000
const refusedMs = 200
const doesNotRead =
  'The program does not read what it is sent, so the rest of it was not passed on. Paste it again once it reads'
const ordinary = 1000
const tryLater = 1013

export function openViewer(needs: ViewerNeeds): Viewer {
  const { socket, grant, windows, find, idleMs, beatMs, log } = needs
  const { window } = grant
  const outlet = openOutlet({
    send: (bytes) => socket.readyState === socket.OPEN && socket.send(bytes),
    pause: () => source?.pause(),
    resume: () => source?.resume(),
  })
  const hasSize = Promise.withResolvers<void>()
  let room: Size | undefined
  let shown: (FoundWindow & { key: string; size: Size; viewers: number }) | undefined
  let source: Source | undefined
  /** A terminal that has ended is not shown again. */
  let dead: string | null = null
  let turn: Promise<void> = Promise.resolve()
  let isLooking = false
  /** The program reads more slowly than somebody types. */
  let isFull = false
  let refused = 0
  let refusing: NodeJS.Timeout | undefined
  let isOver = false
  let usedAt = performance.now()

  const onlooker: Onlooker = {
    get room() {
      return room
    },
    get readOnly() {
      return grant.readOnly
    },
    know({ viewers, ...size }) {
      if (!shown || isOver) return
      const { cols, rows } = shown.size
      if (shown.viewers === viewers && cols === size.cols && rows === size.rows) return
      Object.assign(shown, { size, viewers })
      tell({ type: 'viewers', viewers, ...size })
      source?.resize(size)
    },
  }

  function tell(told: TerminalTold): void {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(told))
  }

  async function show(): Promise<void> {
    const found = await find()
    // The next one may have the same name.
    if (found.terminal !== dead) dead = null
    const terminal = found.terminal === dead ? null : found.terminal
    if (isOver || (shown && shown.terminal === terminal && shown.takenOver === found.takenOver)) return
    leave()
    const key = terminal ?? `view ${grant.sessionId}`
    const { viewers, ...size } = windows.join(key, onlooker)
    const mine = { ...found, terminal, key, size, viewers }
    shown = mine
    const readOnly = grant.readOnly || terminal === null
    tell({ type: 'ready', window, readOnly, takenOver: found.takenOver, viewers, ...size })
    const opened = await needs.open(terminal, size, {
      take(bytes) {
        if (shown !== mine) return
        usedAt = performance.now()
        outlet.take(bytes)
      },
      drained() {
        if (shown === mine) isFull = false
        listen()
      },
      refused(bytes) {
        if (shown === mine) refuse(bytes)
      },
      ended() {
        if (shown !== mine) return
        dead = terminal
        if (window === 'shell') void sayGoodbye()
        else void look()
      },
    })
    if (isOver || shown !== mine) return opened.close()
    source = opened
    if (outlet.isPaused) source.pause()
    source.resize(mine.size) // it may have changed meanwhile
  }

  /** Told once for many. */
  function refuse(bytes: number): void {
    refused += bytes
    refusing ??= setTimeout(() => {
      tell({ type: 'refused', bytes: refused, reason: doesNotRead })
      refusing = undefined
      refused = 0
    }, refusedMs)
  }

  /** A shell ends by itself, or with what it was in. */
  async function sayGoodbye(): Promise<void> {
    const gone = await needs.gone().catch(() => undefined)
    end(gone ?? 'The shell has ended', gone === undefined)
  }

  function leave(): void {
    source?.close()
    source = undefined
    isFull = false
    outlet.flush()
    if (shown) windows.leave(shown.key, onlooker)
    shown = undefined
  }

  /** Nothing is read from the socket meanwhile: what is typed is for what will be there. */
  function look(): Promise<void> {
    turn = lookAfter(turn)
    return turn
  }

  async function lookAfter(earlier: Promise<void>): Promise<void> {
    await earlier
    if (isOver) return
    isLooking = true
    listen()
    try {
      await show()
    } catch (error) {
      // What is shown goes on without; whoever has nothing yet comes back, as after any loss of a connection.
      if (isDatabaseAway(error)) return source ? undefined : hangUp(tryLater)
      if (!(error instanceof Problem)) log.error({ err: error }, 'a window could not be shown')
      end(
        error instanceof Problem ? error.message : 'Something went wrong on the machine; its log says what',
        true,
      )
    } finally {
      isLooking = false
      listen()
    }
  }

  function listen(): void {
    if (isLooking || isFull) socket.pause()
    else socket.resume()
  }

  function hear(data: RawData, isBinary: boolean): void {
    isThere = true
    const bytes = bytesOf(data)
    if (bytes.length > longestFrame)
      return end('More came at once than can be: send what is pasted in pieces of at most 1 MB', true)
    if (isBinary) return type(bytes)
    const said = TerminalSaid.safeParse(parsed(bytes))
    if (!said.success)
      return end('What was said does not fit: is the page of another version? Reload it', true)
    switch (said.data.type) {
      case 'resize': {
        const { cols, rows } = said.data
        room = { cols, rows }
        hasSize.resolve()
        if (shown) windows.resized(shown.key)
        return undefined
      }
      case 'ack':
        if (!outlet.drawn(said.data.bytes)) end('More was drawn than was ever sent: reload the page', true)
        return undefined
      case 'repaint':
        return source?.repaint()
    }
  }

  function type(bytes: Buffer): void {
    usedAt = performance.now()
    if (grant.readOnly || !source) return
    isFull = !source.write(bytes)
    listen()
  }

  function end(reason: string, canReturn: boolean): void {
    if (isOver) return
    outlet.flush()
    tell({ type: 'ended', reason, canReturn })
    hangUp(ordinary)
  }

  function hangUp(code: number): void {
    socket.close(code)
    setTimeout(() => socket.terminate(), lastWordsMs).unref()
    over()
  }

  function over(): void {
    isOver = true
    hasSize.resolve()
    clearInterval(beating)
    clearTimeout(firstSize)
    clearTimeout(refusing)
    outlet.close()
    leave()
  }

  let isThere = true
  const beating = setInterval(() => {
    if (performance.now() - usedAt > idleMs)
      return end(`Nothing was typed or shown for ${Math.round(idleMs / 60_000)} minutes`, true)
    // Of whom nothing is read nothing can be heard; that they are gone the next ping tells.
    if (!isThere && !socket.isPaused) return socket.terminate()
    isThere = false
    socket.ping()
  }, beatMs)
  const firstSize = setTimeout(hasSize.resolve, firstSizeMs)
  socket.on('pong', () => (isThere = true))
  socket.on('message', hear)
  socket.on('error', () => undefined) // told by its end
  socket.on('close', over)
  turn = hasSize.promise
  void look()
  return { grant, look, end }
}

function bytesOf(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
