import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import type { AskCancelCode } from '#contract/internal.ts'
import { CancelledCode } from '#contract/internal.ts'
import { cancelCodeRun } from '#flows/cancel-code-run.ts'
import { openConversation } from './code-conversation.ts'
import { executionLines, machineForCode } from './execute-lines.ts'
import { openHolds } from './held-open.ts'
import type { Right } from './held-open.ts'
import { askMachine } from './machine-answers.ts'
import { responseOn } from './response-on.ts'
import type { Parts } from './room.ts'

/** The sockets on which code is run. */
export interface CodeSockets {
  takes(request: IncomingMessage): boolean
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): void
}

/** Who was let in, as the doors of the app found out: by a token, or by a ticket, which is none. */
export type Admitted = Omit<Right, 'token'> & { token: string | undefined }

/** Handed to the app with the request that is to become a socket. */
export class Admission {
  admitted: Admitted | undefined
}

type Answering = (request: Request, env: object) => Response | Promise<Response>

const path = /^\/api(?:\/v1)?\/execute\/ws(?:\?|$)/
const longestMessage = 4 * 1024 * 1024
/** Beyond this it is cut off while it comes, and nobody is told why. */
const longestRead = 4 * longestMessage
/** Of what somebody was told and has not read. */
const mostUnread = 32 * 1024 * 1024
const beatMs = 15_000
const rightIsGone = 1008
const goingAway = 1001
const tooLong = 1009

/** `answer` is the whole app: a socket passes the same doors as any other request. */
export function openCodeSockets(answer: Answering, parts: Parts, { everyMs = beatMs } = {}): CodeSockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: longestRead,
    perMessageDeflate: false,
    clientTracking: true,
  })
  const hold = openHolds(parts)

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const admission = new Admission()
    const answered = await answer(asRequest(request), { incoming: request, admission })
    const { admitted } = admission
    if (!admitted) return refuse(request, socket, answered)
    await answered.body?.cancel()
    server.handleUpgrade(request, socket, head, (web) => converse(web, admitted))
  }

  function converse(web: WebSocket, { token, principal, until }: Admitted): void {
    const conversation = openConversation({
      run: (wanted, requestId, signal) => executionLines(parts, { by: principal, requestId, wanted }, signal),
      cancel,
      send(message) {
        if (web.readyState !== web.OPEN) return
        web.send(JSON.stringify(message))
        if (web.bufferedAmount > mostUnread) web.terminate()
      },
      log: parts.log,
    })
    async function cancel(requestId: string, sessionId: string | undefined): Promise<void> {
      // One that waits is ended where it is kept: its machine may be gone.
      if (await parts.pool.transaction((tx) => cancelCodeRun(tx, principal, requestId))) return
      const machine = await machineForCode(parts, principal, sessionId)
      const asked: AskCancelCode = { by: principal, requestId }
      const signal = AbortSignal.timeout(10_000)
      await askMachine(parts.pool.db, machine, '/code/cancel', asked, CancelledCode, signal)
    }

    const end = () => {
      conversation.close()
      web.close(rightIsGone, 'The right to be here is gone')
    }
    const held = token === undefined ? undefined : hold({ token, principal, until })
    held?.ended.addEventListener('abort', end)
    void held?.check() // what was revoked meanwhile was heard of by nobody
    const deaf = held
      ? undefined
      : parts.streams.onRevoked((whose) => (whose === undefined || whose === principal.id) && end())

    let isThere = true
    const beating = setInterval(() => {
      if (!isThere) return web.terminate()
      isThere = false
      web.ping()
    }, everyMs)
    web.on('pong', () => (isThere = true))
    web.on('message', (data, isBinary) => {
      isThere = true
      if (sizeOf(data) > longestMessage)
        return web.close(tooLong, 'A message can have 4 MB, and this one has more')
      conversation.hear(isBinary ? '' : textOf(data))
    })
    web.on('error', () => undefined) // told by its end
    web.on('close', () => {
      clearInterval(beating)
      held?.release()
      deaf?.()
      conversation.close()
    })
  }

  return {
    takes: ({ url = '' }) => path.test(url),
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      upgrade(request, socket, head).catch((error: unknown) => {
        parts.log.error({ err: error }, 'a socket failed on our side')
        socket.destroy()
      })
    },
    close() {
      for (const web of server.clients) {
        web.close(goingAway)
        setTimeout(() => web.terminate(), 500).unref()
      }
    },
  }
}

function asRequest({ url = '/', headers }: IncomingMessage): Request {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  return new Request(new URL(url, 'http://signalbox'), { headers: pairs })
}

async function refuse(request: IncomingMessage, socket: Duplex, answered: Response): Promise<void> {
  const body = await answered.text()
  const response = responseOn(request, socket)
  response.writeHead(answered.status, Object.fromEntries(answered.headers))
  response.end(body)
}

const sizeOf = (data: Buffer | ArrayBuffer | Buffer[]): number =>
  Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength

function textOf(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8')
  return Buffer.isBuffer(data) ? data.toString('utf8') : Buffer.from(data).toString('utf8')
}
