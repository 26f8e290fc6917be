import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { portUpgrade } from '#contract/keeper-protocol.ts'
import { CommandOutcome, Greeting, KeptExecution, KeptTerminal, Progress } from '#contract/keeper.ts'
import type { AskShell, KeeperCommand, Launch, Shutdown, TakeOver } from '#contract/keeper.ts'
import { openUpgraded } from '#lib/open-upgraded.ts'
import { z } from 'zod'

/** The keeper understood and said no; anything else that goes wrong is about reaching it. */
export class KeeperRefused extends Error {
  readonly code: string
  readonly context: Record<string, unknown> | undefined

  constructor(code: string, message: string, context?: Record<string, unknown>) {
    super(message)
    this.name = 'KeeperRefused'
    this.code = code
    this.context = context
  }
}

/** It ends, or serves another workspace: it has not begun what it was asked for, and the next keeper will do. */
export const isUseless = (error: unknown): boolean =>
  error instanceof KeeperRefused && (error.code === 'shutting_down' || error.code === 'other_workspace')

/** It is there and does not answer: frozen, or very busy. */
export class KeeperSilent extends Error {
  readonly code = 'silent'

  constructor(cause: Error) {
    super('The keeper does not answer', { cause })
    this.name = 'KeeperSilent'
  }
}

export interface KeeperClient {
  greet(signal?: AbortSignal): Promise<Greeting>
  launch(launch: Launch): Promise<KeptExecution>
  /** Says how far the spool is, at once and whenever it has grown. Ends when the connection does. */
  progress(executionId: string, epoch: number, signal: AbortSignal): AsyncIterable<Progress>
  command(executionId: string, command: KeeperCommand): Promise<CommandOutcome>
  /** The spool is copied: it may forget it. */
  release(executionId: string, epoch: number): Promise<void>
  /** Gives the session to a person, once. */
  takeOver(sessionId: string, asked: TakeOver): Promise<KeptTerminal>
  /** Ends what the person had it in; nothing when there is nothing. */
  handBack(sessionId: string): Promise<void>
  /** The shell of a session, or of the workspace, opened once. */
  openShell(id: string, asked: AskShell): Promise<KeptTerminal>
  /** Nothing when there is none. */
  endShell(id: string): Promise<void>
  /** Any question about what is in the walls, as JSON. Resolves with the answer when it begins; rejects with KeeperRefused. */
  ask(path: string, body: string, signal: AbortSignal): Promise<IncomingMessage>
  /** A connection to a port inside. Rejects with KeeperRefused: `port_silent` when nothing listens there. */
  connect(port: number, within: number): Promise<Duplex>
  shutdown(shutdown: Shutdown): Promise<void>
}

const patienceMs = 10_000
/** Beyond the grace: killing, proving, and writing it down. */
const proofMs = 2_000
/** An agent is ended, and a program is given its time to begin or to end. */
const handingMs = 30_000

/** Tools are called often: their connections are used again, and given up well before the keeper does so by itself. */
const kept = new Agent({ keepAlive: true, maxFreeSockets: 32, timeout: 30_000 })

/** Speaks to the keeper that listens on this socket. A connection per call, but for tools: it is local, and there are few. */
export function keeperAt(socketPath: string): KeeperClient {
  async function ask<Shape extends z.ZodType>(
    shape: Shape,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    { signal: given, within = patienceMs }: { signal?: AbortSignal | undefined; within?: number } = {},
  ): Promise<z.infer<Shape>> {
    const signal = AbortSignal.any([...(given ? [given] : []), AbortSignal.timeout(within)])
    const response = await open(method, path, body, signal)
    const words = await textOf(response)
    if (response.statusCode !== 200) throw refusal(words)
    return shape.parse(JSON.parse(words))
  }

  function open(
    method: 'GET' | 'POST',
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    return send(method, path, body === undefined ? undefined : JSON.stringify(body), signal, false)
  }

  function send(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    signal: AbortSignal,
    agent: Agent | false,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' }
      const asked = request({ socketPath, path, method, headers, signal, agent }, resolve)
      asked.on('error', (error) => reject(error.name === 'AbortError' ? new KeeperSilent(error) : error))
      asked.end(body)
    })
  }

  return {
    greet: (signal) => ask(Greeting, 'GET', '/', undefined, { signal }),
    launch: (launch) => ask(KeptExecution, 'POST', '/executions', launch),
    async *progress(executionId, epoch, signal) {
      const response = await open(
        'GET',
        `/executions/${executionId}/progress?epoch=${epoch}`,
        undefined,
        signal,
      )
      if (response.statusCode !== 200) throw refusal(await textOf(response))
      for await (const line of createInterface({ input: response })) yield Progress.parse(JSON.parse(line))
    },
    command: (executionId, command) =>
      ask(CommandOutcome, 'POST', `/executions/${executionId}/commands`, command),
    takeOver: (sessionId, asked) =>
      ask(KeptTerminal, 'POST', `/sessions/${sessionId}/take-over`, asked, { within: handingMs }),
    async handBack(sessionId) {
      await ask(z.object({}), 'POST', `/sessions/${sessionId}/hand-back`, {}, { within: handingMs })
    },
    openShell: (id, asked) =>
      ask(KeptTerminal, 'POST', `/sessions/${id}/shell`, asked, { within: handingMs }),
    async endShell(id) {
      await ask(z.object({}), 'POST', `/sessions/${id}/end-shell`, {}, { within: handingMs })
    },
    async release(executionId, epoch) {
      const response = await open(
        'POST',
        `/executions/${executionId}/release`,
        { epoch },
        AbortSignal.timeout(patienceMs),
      )
      response.resume()
    },
    async ask(path, body, signal) {
      const response = await send('POST', path, body, signal, kept)
      if (response.statusCode !== 200) throw refusal(await textOf(response))
      return response
    },
    async connect(port, within) {
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), within)
      const options = { socketPath, path: `/ports/${port}`, signal: late.signal }
      const opened = await openUpgraded(options, portUpgrade)
        .catch((error: unknown) => {
          throw error instanceof Error && error.name === 'AbortError' ? new KeeperSilent(error) : error
        })
        .finally(() => clearTimeout(timer))
      if ('stream' in opened) return opened.stream
      throw refusal(await text(opened.refused.body))
    },
    async shutdown(shutdown) {
      const signal = AbortSignal.timeout(shutdown.graceMs + proofMs)
      const response = await open('POST', '/shutdown', shutdown, signal)
      const words = await textOf(response)
      if (response.statusCode !== 200) throw refusal(words)
    },
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of response.setEncoding('utf8')) text += piece
  return text
}

function refusal(text: string): KeeperRefused {
  try {
    const { error } = JSON.parse(text)
    return new KeeperRefused(String(error.code), String(error.message), error.context)
  } catch {
    return new KeeperRefused('unknown', text.slice(0, 200))
  }
}
