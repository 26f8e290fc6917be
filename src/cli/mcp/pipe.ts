import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { frameCutter } from '#contract/sse-frame.ts'
import type { ToolsListed } from '#contract/tool.ts'
import { linesOf } from '#lib/line-iterator.ts'
import type { Connection } from '../connection.ts'
import { openHeaders } from './headers.ts'
import { Message, isRequest, rpcError, versionIn } from './message.ts'
import { send } from './send.ts'
import type { Sent } from './send.ts'
import { whyLost, whyRefused } from './why.ts'

export interface Pipe {
  connection: Connection
  tools?: ToolsListed
  input: Readable
  /** One message, without its newline. */
  output: (line: string) => void
  log: (line: string) => void
  /** Aborted when it is time to go. */
  signal: AbortSignal
}

const longestLine = 16 * 1024 * 1024
const farewellMs = 2_000

/** Passes messages between a client that speaks over stdin and stdout and our endpoint, of either era. Resolves when the client is done. */
export async function pipeMcp({
  connection,
  tools = 'auto',
  input,
  output,
  log,
  signal,
}: Pipe): Promise<void> {
  const url = new URL(`/mcp?tools=${tools}`, connection.url)
  const headers = openHeaders()
  const open = new Map<Message['id'], AbortController>()
  const working = new Set<Promise<void>>()
  /** Of the older protocol: its session, and how it began, should it have to begin again. */
  let session: { id: string; version: string } | undefined
  let hello: Message | undefined
  let greeting: Promise<unknown> | undefined

  const exchange = (
    method: Sent['method'],
    more: Record<string, string>,
    until: AbortSignal,
    body?: string,
  ) =>
    send(url, {
      method,
      headers: {
        authorization: `Bearer ${connection.token}`,
        accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(session && { 'mcp-session-id': session.id, 'mcp-protocol-version': session.version }),
        ...more,
      },
      ...(body !== undefined && { body }),
      signal: until,
    })

  const post = (message: Message, until: AbortSignal) =>
    exchange('POST', headers.of(message), until, JSON.stringify(message))

  /** Passes an answer on, and says whether what was asked for was in it. */
  async function pass(answer: IncomingMessage, asked: Message['id'], isHidden = false): Promise<boolean> {
    const tell = (line: string): boolean => {
      const message = Message.safeParse(JSON.parse(line)).data
      headers.learn(message?.result)
      if (!isHidden) output(line)
      return message?.id !== undefined && message.id === asked && message.method === undefined
    }
    if (!answer.headers['content-type']?.includes('text/event-stream'))
      return tell(compact(await readText(answer)))
    const cut = frameCutter()
    let isAnswered = false
    for await (const piece of answer.setEncoding('utf8') as AsyncIterable<string>)
      for (const { data } of cut(piece)) if (data) isAnswered = tell(compact(data)) || isAnswered
    return isAnswered
  }

  async function begin(message: Message, until: AbortSignal, isHidden = false): Promise<void> {
    session = undefined
    const answer = await post(message, until)
    const id = answer.headers['mcp-session-id']
    const version = message.params?.['protocolVersion']
    if (typeof id === 'string') session = { id, version: String(version) }
    if (answer.statusCode !== 200) return output(await whyRefused(answer, message.id))
    hello = message
    await pass(answer, message.id, isHidden)
  }

  /** The server has forgotten us: it was started again. The client need not know. */
  async function beginAgain(until: AbortSignal): Promise<void> {
    if (!hello) return
    log('Signalbox was started again: the session begins anew')
    await begin(hello, until, true)
    const initialized: Message = { jsonrpc: '2.0', method: 'notifications/initialized' }
    ;(await post(initialized, until)).resume()
    listen()
  }

  async function ask(message: Message, until: AbortSignal): Promise<void> {
    if (message.method === 'initialize') {
      const beginning = begin(message, until)
      greeting = beginning.catch(() => undefined)
      return beginning
    }
    await greeting
    let answer = await post(message, until)
    if (answer.statusCode === 404 && session && hello && versionIn(message) === undefined) {
      answer.resume()
      await beginAgain(until)
      answer = await post(message, until)
    }
    if (!isRequest(message)) {
      answer.resume()
      if (message.method === 'notifications/initialized') listen()
      return
    }
    if (answer.statusCode !== 200) return output(await whyRefused(answer, message.id))
    if (!(await pass(answer, message.id))) output(rpcError(message.id, whyLost(undefined)))
  }

  /** What the server of the older protocol says by itself. */
  function listen(): void {
    const listening = session
    void (async () => {
      while (listening && session === listening && !signal.aborted) {
        try {
          const answer = await exchange('GET', {}, signal)
          if (answer.statusCode !== 200) return void answer.resume()
          await pass(answer, undefined)
        } catch {
          // It is opened again as long as the session is there.
        }
        await wait(1_000, undefined, { signal }).catch(() => undefined)
      }
    })()
  }

  async function take(line: string): Promise<void> {
    const message = Message.safeParse(parsed(line)).data
    if (!message) return output(rpcError(null, 'That is no message of JSON-RPC', -32_700))
    const own = new AbortController()
    const isCancel = message.method === 'notifications/cancelled'
    const cancelled = isCancel ? open.get(message.params?.['requestId'] as Message['id']) : undefined
    // In the newer protocol whoever hangs up has cancelled.
    if (isCancel && !session) return cancelled?.abort()
    if (isRequest(message)) open.set(message.id, own)
    try {
      await ask(message, AbortSignal.any([own.signal, signal]))
      cancelled?.abort()
    } catch (error) {
      if (own.signal.aborted || signal.aborted) return
      log(whyLost(error))
      if (isRequest(message)) output(rpcError(message.id, whyLost(error)))
    } finally {
      if (open.get(message.id) === own) open.delete(message.id)
    }
  }

  for await (const line of linesOf(input, longestLine)) {
    if (line.trim() === '') continue
    const work = take(line).finally(() => working.delete(work))
    working.add(work)
  }
  await Promise.all(working)
  if (session)
    await exchange('DELETE', {}, AbortSignal.timeout(farewellMs)).then(
      (a) => a.resume(),
      () => undefined,
    )
}

const compact = (json: string): string => JSON.stringify(JSON.parse(json))

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
