import { Session } from '#contract/session.ts'
import { TerminalToken, TerminalTold } from '#contract/terminal.ts'
import type { TerminalSaid } from '#contract/terminal.ts'
import { inertLine } from '#lib/inert-text.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'
import { findById } from './find-by-id.ts'
import { note } from './output.ts'

export interface AttachOptions {
  shell?: boolean
  readOnly?: boolean
}

/** Where a terminal is shown: what is typed there, what is seen there, how large it is. */
export interface Keyboard {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
}

/** Ctrl-], as telnet has it: no shell and no editor means anything by it. */
const leaveKey = 0x1d
const patienceMs = 60_000
/** What a program has switched on that is not on here: keys of its own, the mouse, pastes, a hidden cursor, colours. */
const asItWas = '\x1b[?1l\x1b>\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[0m\r\n'

/** Puts a window of a session on this terminal until somebody leaves it. Answers with the exit code. */
export async function attach(
  connection: Connection,
  wanted: string,
  { shell = false, readOnly = false }: AttachOptions,
  { input, output }: Keyboard = { input: process.stdin, output: process.stdout },
): Promise<number> {
  if (!input.isTTY || !output.isTTY)
    throw new Failure('attach needs a terminal. To read what a session says elsewhere: signalbox logs -f', 2)
  const { id: sessionId } = await findById(connection, wanted, {
    path: '/sessions',
    shape: Session,
    noun: 'session',
    howToFind: 'signalbox ls sessions shows them',
  })
  const body = { sessionId, window: shell ? 'shell' : 'agent', readOnly }
  const { url, token } = await ask(connection, '/terminal/token', TerminalToken, {
    method: 'POST',
    body,
    patienceMs,
  })
  const socket = await opened(url, token)
  const { promise, resolve } = Promise.withResolvers<{ reason: string; code: number }>()
  const say = (said: TerminalSaid) =>
    socket.readyState === WebSocket.OPEN && socket.send(JSON.stringify(said))
  const size = () => say({ type: 'resize', cols: output.columns || 80, rows: output.rows || 24 })
  let drawn = 0

  socket.addEventListener('message', ({ data }) => {
    if (data instanceof ArrayBuffer) {
      const { byteLength } = data
      output.write(new Uint8Array(data), () => say({ type: 'ack', bytes: (drawn += byteLength) }))
      return
    }
    const told = TerminalTold.safeParse(parsed(String(data))).data
    if (told?.type === 'ready' && told.readOnly) note('This is to be read: what you type goes nowhere.\r')
    if (told?.type === 'refused') note(`${inertLine(told.reason)}\r`)
    if (told?.type === 'ended') resolve({ reason: inertLine(told.reason), code: told.canReturn ? 0 : 1 })
  })
  socket.addEventListener('close', () => resolve({ reason: 'The connection was lost', code: 1 }))
  const type = (bytes: Buffer) => {
    const end = bytes.indexOf(leaveKey)
    const typed = end === -1 ? bytes : bytes.subarray(0, end)
    if (typed.length > 0 && socket.readyState === WebSocket.OPEN) socket.send(Uint8Array.from(typed))
    if (end !== -1) resolve({ reason: 'Left; it goes on without you', code: 0 })
  }

  note('Ctrl-] leaves.')
  input.setRawMode(true)
  input.on('data', type)
  output.on('resize', size)
  try {
    size()
    const { reason, code } = await promise
    output.write(asItWas)
    note(reason)
    return code
  } finally {
    input.off('data', type)
    output.off('resize', size)
    input.setRawMode(false)
    input.pause()
    socket.close()
  }
}

async function opened(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url}?token=${token}`)
  socket.binaryType = 'arraybuffer'
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.addEventListener('open', () => resolve(true))
    socket.addEventListener('error', () => resolve(false))
  })
  if (isOpen) return socket
  throw new Failure(
    `The terminal at ${url} cannot be reached: does it run, and does a firewall or proxy let sockets pass?`,
  )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
