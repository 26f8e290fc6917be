import { WebSocket } from 'ws'
import type { AskTerminal, TerminalSaid, TerminalToken, TerminalTold } from '#contract/terminal.ts'
import type { Signalbox } from './signalbox.ts'

/** Somebody at a terminal, over a real socket: draws at once whatever comes, and tells so. */
export interface Person {
  socket: WebSocket
  /** All that was shown so far, as text. */
  readonly seen: string
  /** The same without what moves the cursor and colours. */
  readonly words: string
  readonly bytes: number
  told: TerminalTold[]
  say(said: TerminalSaid): void
  type(text: string | Buffer): void
  /** Forgets what was seen so far. */
  clear(): void
  /** Goes away. Resolves when the socket is closed. */
  leave(): Promise<void>
  /** Resolves with how the socket was closed. */
  closed: Promise<{ code: number; reason: string }>
}

export interface Manner {
  cols?: number
  rows?: number
  origin?: string
  /** Draws nothing, and so tells nothing. */
  isSlow?: boolean
}

export async function askToken(
  box: Signalbox,
  asked: Partial<AskTerminal>,
  headers = {},
): Promise<TerminalToken> {
  const { status, body } = await box.call('POST', '/terminal/token', asked, headers)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body.error)}`)
  return body.data
}

/** Resolves once the window is there. */
export async function sitDown(
  box: Signalbox,
  asked: Partial<AskTerminal>,
  manner: Manner = {},
): Promise<Person> {
  const { origin } = manner
  const { url, token } = await askToken(box, asked, origin === undefined ? {} : { origin })
  return connect(`${url}?token=${token}`, manner)
}

export async function connect(
  address: string,
  { cols = 100, rows = 30, origin, isSlow = false }: Manner = {},
): Promise<Person> {
  const socket = new WebSocket(address, { perMessageDeflate: false, ...(origin !== undefined && { origin }) })
  const told: TerminalTold[] = []
  let seen = ''
  let bytes = 0
  const say = (said: TerminalSaid) => socket.send(JSON.stringify(said))
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  )
  const ready = new Promise<void>((resolve, reject) => {
    socket.on('open', () => say({ type: 'resize', cols, rows }))
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        seen += data.toString('latin1')
        if (seen.length > 4_000_000) seen = seen.slice(-2_000_000)
        bytes += data.length
        if (!isSlow && socket.readyState === socket.OPEN) say({ type: 'ack', bytes })
        return
      }
      const said: TerminalTold = JSON.parse(data.toString())
      told.push(said)
      resolve()
    })
    socket.on('unexpected-response', (request, response) => {
      let body = ''
      response.on('data', (piece: Buffer) => (body += piece.toString()))
      response.on('end', () => {
        request.destroy()
        reject(new Refused(response.statusCode ?? 0, body))
      })
    })
    socket.on('error', reject)
    void closed.then(({ code }) => reject(new Error(`closed with ${code}`)))
  })
  await ready
  const shown = () => Buffer.from(seen, 'latin1').toString('utf8')
  return {
    socket,
    get seen() {
      return shown()
    },
    get words() {
      // oxlint-disable-next-line no-control-regex -- that is what they are
      return shown().replaceAll(/\x1b(?:\[[\d;?>=]*[@-~]|[()][A-Z0-9]|[=>78])/g, '')
    },
    get bytes() {
      return bytes
    },
    told,
    say,
    type: (text) => socket.send(Buffer.from(text)),
    clear: () => void (seen = ''),
    closed,
    async leave() {
      socket.close()
      await closed
    },
  }
}

/** What somebody hears who is not let in. */
export class Refused extends Error {
  readonly status: number
  readonly body: string

  constructor(status: number, body: string) {
    super(`${status} ${body}`)
    this.status = status
    this.body = body
  }

  get code(): string {
    return JSON.parse(this.body).error.code
  }
}
