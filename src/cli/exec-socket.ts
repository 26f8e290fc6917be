import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { CodeMessage, CodeResult, CodeWaiting, LogLevel } from '#contract/execute.ts'
import { inert, inertLine } from '#lib/inert-text.ts'
import { Unreachable, ask, open } from './client.ts'
import type { Connection } from './connection.ts'
import { Failure } from './failure.ts'
import { shortId } from './find-execution.ts'
import { note } from './output.ts'
import { screenOf } from './screen.ts'

const POLL_MS = 2000
/** How long a run that was cancelled may take to say so. */
const CANCEL_MS = 5000
const BAD_USE = 2

const Log = z.object({ level: LogLevel, message: z.string() })
const Refusal = z.object({
  code: z.string(),
  message: z.string(),
  context: z.record(z.string(), z.unknown()).optional(),
})

/**
 * Runs code over a socket, and notes what it logs and for whom it waits. Whatever is restarted while it waits for a person, its result is
 * waited for. Answers with nothing when it was cancelled and nobody said what became of it.
 */
export async function runCode(
  connection: Connection,
  wanted: object,
  cancel: AbortSignal,
): Promise<CodeResult | undefined> {
  const socket = await opened(connection)
  const { promise, resolve, reject } = Promise.withResolvers<CodeResult | 'lost' | undefined>()
  let waitsAs: string | undefined
  const say = (type: CodeMessage['type'], payload?: unknown) =>
    socket.send(JSON.stringify({ id: '1', type, ...(payload !== undefined && { payload }) }))
  socket.addEventListener('close', () => resolve('lost'))
  const hear = (text: string): void => {
    const { type, payload } = CodeMessage.parse(JSON.parse(text))
    if (type === 'result') return resolve(CodeResult.parse(payload))
    if (type === 'error') return reject(refused(payload))
    const waiting = CodeWaiting.safeParse(payload).data
    if (!waiting) return noteLog(Log.parse(payload))
    waitsAs = waiting.requestId
    noteWaiting(waiting)
  }
  socket.addEventListener('message', ({ data }) => {
    try {
      hear(String(data))
    } catch {
      reject(new Failure(`${connection.url} answers, but not as Signalbox of this version does`))
    }
  })
  const onCancel = () => {
    if (socket.readyState === WebSocket.OPEN) say('cancel')
    setTimeout(() => resolve(undefined), CANCEL_MS).unref()
  }
  cancel.addEventListener('abort', onCancel)
  say('execute', wanted)
  if (cancel.aborted) onCancel()
  try {
    const answer = await promise
    if (answer !== 'lost') return answer
  } finally {
    socket.close()
  }
  if (cancel.aborted) return undefined
  if (waitsAs === undefined)
    throw new Failure(
      'The connection was lost in the middle of it. Whether it has run to its end is not known',
    )
  return resultOf(connection, waitsAs, cancel)
}

async function opened(connection: Connection): Promise<WebSocket> {
  const url = new URL('/api/v1/execute/ws', connection.url)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${connection.token}` } })
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.addEventListener('open', () => resolve(true))
    socket.addEventListener('error', () => resolve(false))
  })
  if (isOpen) return socket
  // A socket does not tell why it was not let in; the same place does, when it is asked without one.
  await open(connection, '/execute/ws', {}).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.refusal?.code !== 'does_not_fit') throw error
  })
  throw new Failure(`No WebSocket gets through to ${connection.url}: does a proxy in between let them pass?`)
}

/** Of a run that waits for a person, after its socket was lost. */
async function resultOf(
  connection: Connection,
  requestId: string,
  cancel: AbortSignal,
): Promise<CodeResult | undefined> {
  const path = `/execute/${requestId}`
  const noted = new Set<string>()
  for (let isLost = false; !cancel.aborted;) {
    try {
      const answer = await ask(connection, path, z.union([CodeResult, CodeWaiting]))
      if ('success' in answer) return answer
      if (isLost) note('The connection is back')
      isLost = false
      const isNew = answer.approvals.some(({ id }) => !noted.has(id))
      for (const { id } of answer.approvals) noted.add(id)
      if (isNew) noteWaiting(answer)
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error
      if (!isLost) note('The connection is lost; reconnecting…')
      isLost = true
    }
    await pause(POLL_MS, undefined, { signal: cancel }).catch(() => undefined)
  }
  await open(connection, path, { method: 'DELETE' }).catch(() => undefined)
  return undefined
}

function refused(payload: unknown): Failure {
  const refusal = Refusal.safeParse(payload).data
  if (!refusal) return new Failure('It was refused, in a way that this version does not understand')
  const exitCode = refusal.code === 'does_not_fit' || refusal.code === 'body_too_large' ? BAD_USE : 1
  return new Failure(inertLine(refusal.message), exitCode, { ...refusal, requestId: '' })
}

function noteLog({ level, message }: z.infer<typeof Log>): void {
  const colour = { debug: 'dim', info: 'plain', warn: 'yellow', error: 'red' } as const
  note(screenOf(process.stderr, process.env).paint(colour[level], inert(message)))
}

function noteWaiting({ requestId, approvals }: CodeWaiting): void {
  for (const { id, title } of approvals)
    note(`It waits for a yes to: ${inertLine(title)}
  signalbox approve ${shortId(id)}   say yes
  signalbox deny ${shortId(id)}      say no`)
  if (approvals.length > 0) note(`Its result can also be had later: GET /api/v1/execute/${requestId}`)
}
