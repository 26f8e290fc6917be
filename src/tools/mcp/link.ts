import { setTimeout as wait } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/client'
import type { RequestOptions, ServerCapabilities } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { CallFailed } from '../port.ts'
import type { Caller, CallHands, OfferedTool } from '../port.ts'
import { answersTo } from './answers.ts'
import { exchanges, ownerOf } from './exchange.ts'
import type { Exchange } from './exchange.ts'
import { follow } from './follow.ts'
import type { Following } from './follow.ts'
import { checkPatienceMs, connectPatienceMs } from './limits.ts'
import { headerFault } from './param-headers.ts'
import { listTools } from './tool-list.ts'
import type { OpenedTransport } from './transport.ts'
import { SessionLost, asCallFailed, isNoAnswer, sentence } from './why.ts'

/** A connection that stands. It is never mended: when it is lost, another one is made. */
export interface Link {
  readonly isModern: boolean
  readonly protocol: string
  readonly server: string | null
  readonly pid: number | null
  readonly capabilities: ServerCapabilities
  readonly instructions: string | undefined
  readonly following: Following
  /** Somebody waits for an answer. */
  isBusy: () => boolean
  /** Rejects with CallFailed. */
  request: (asked: Asked, hands: CallHands) => Promise<unknown>
  tools: () => Promise<OfferedTool[]>
  /** Why it cannot be used, if it cannot. */
  check: () => Promise<CallFailed | undefined>
  /** Whoever still waits is told why, if it is said. */
  close: (why?: CallFailed) => Promise<void>
}

export interface Asked {
  caller?: Caller
  method: string
  params: Record<string, unknown>
  /** For tools whose arguments are to be repeated in headers. */
  definition?: OfferedTool | undefined
}

export interface LinkEvents {
  onLost: (why: CallFailed) => void
  /** Something went wrong that may mean more. */
  onDoubt: () => void
  onNotification: (method: string, params: Record<string, unknown> | undefined) => void
}

/** Longer than any call may take: the time-outs of calls are the registry's. */
const noTimeout = 2 ** 31 - 1
/** A stream that its server leaves open after the answer is closed then. */
const afterAnswerMs = 1_000
const anything = z.looseObject({})
// Arguments and results are checked by the registry.
const believing = { getValidator: () => (data: unknown) => ({ valid: true, data, errorMessage: undefined }) }

export const makeClient = (version: string, probeMs: number): Client =>
  new Client(
    { name: 'signalbox', title: 'Signalbox', version },
    {
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeMs } },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: believing as never,
    },
  )

export function openLink(client: Client, transport: OpenedTransport, events: LinkEvents): Link {
  const open = new Set<Exchange>()
  const isModern = client.getProtocolEra() === 'modern'
  const { name, version } = client.getServerVersion() ?? {}
  let lost: CallFailed | undefined
  let isLeft = false

  Object.assign(client, {
    onclose: () => {
      lost ??= new CallFailed('source_failed', sentence(transport.gone() ?? 'the connection was closed'))
      if (!isLeft) events.onLost(lost)
    },
    onerror: (error: Error) => {
      if (error instanceof CallFailed) lost ??= error
      if (isNoAnswer(error)) exchanges.getStore()?.fail(asCallFailed(error))
      if (transport.isLostBy(error)) void client.close()
      else events.onDoubt()
    },
  })
  client.fallbackRequestHandler = async ({ method, params }) => {
    const owner = ownerOf(open)
    const answers = await answersTo({ asked: { method, ...(params && { params }) } }, owner?.hands)
    return answers['asked'] ?? {}
  }
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method !== 'notifications/message') return events.onNotification(method, params)
    ownerOf(open)?.hands.onLog?.(params ?? {})
  }

  async function request(asked: Asked, hands: CallHands): Promise<unknown> {
    const failed = Promise.withResolvers<never>()
    let told: CallFailed | undefined
    const exchange: Exchange = {
      hands,
      afterwards: new Set(),
      fail(why) {
        told ??= why
        failed.reject(why)
      },
      ...(asked.caller && { caller: asked.caller }),
    }
    open.add(exchange)
    try {
      return await exchanges.run(exchange, () => Promise.race([failed.promise, send(asked, hands)]))
    } catch (error) {
      if (hands.signal.aborted) throw new CallFailed('cancelled', 'The call was cancelled')
      throw told ?? lost ?? (transport.isForgottenBy(error) ? new SessionLost() : asCallFailed(error))
    } finally {
      open.delete(exchange)
      if (exchange.afterwards.size > 0)
        setTimeout(() => exchange.afterwards.forEach((work) => work()), afterAnswerMs).unref()
    }
  }

  function send({ method, params, definition }: Asked, hands: CallHands): Promise<unknown> {
    const options: RequestOptions = {
      signal: hands.signal,
      timeout: noTimeout,
      allowInputRequired: true,
      ...(hands.onProgress && { onprogress: hands.onProgress as NonNullable<RequestOptions['onprogress']> }),
    }
    if (method !== 'tools/call') return client.request({ method, params }, anything, options)
    if (!definition) return client.request({ method, params }, options)
    const { name: tool, inputSchema } = definition
    const toolDefinition = { name: tool, inputSchema: inputSchema as { type: 'object' } }
    return client.callTool(params as { name: string }, { ...options, toolDefinition })
  }

  const quiet = (ms: number): CallHands => ({ signal: AbortSignal.timeout(ms) })
  return {
    isModern,
    protocol: client.getNegotiatedProtocolVersion() ?? '',
    server: name === undefined ? null : [name, version].filter(Boolean).join(' '),
    pid: transport.pid() ?? null,
    capabilities: client.getServerCapabilities() ?? {},
    instructions: client.getInstructions(),
    following: follow(client, isModern, events.onDoubt),
    isBusy: () => [...open].some(({ caller }) => caller !== undefined),
    request,
    async tools() {
      if (!client.getServerCapabilities()?.tools) return []
      const all = await listTools((cursor) =>
        request(
          { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
          quiet(connectPatienceMs),
        ),
      )
      // A program has no headers.
      const isOverHttp = isModern && transport.pid() === undefined
      return isOverHttp ? all.filter(({ inputSchema }) => headerFault(inputSchema) === undefined) : all
    },
    async check() {
      try {
        await request({ method: isModern ? 'server/discover' : 'ping', params: {} }, quiet(checkPatienceMs))
        return undefined
      } catch (error) {
        // Whoever answers that it does not know the question is there.
        if (error instanceof CallFailed && error.context?.['code'] !== undefined) return undefined
        return error instanceof CallFailed && error.reason === 'cancelled'
          ? neverAnswered
          : asCallFailed(error)
      }
    },
    async close(why) {
      isLeft = true
      // Others who were sent away for the same reason may be about to hear it, and are better off by that.
      if (why instanceof SessionLost) await wait(afterAnswerMs, undefined, { ref: false })
      const unknown = lost ?? (why && withoutOutcome(why))
      if (unknown) for (const exchange of open) exchange.fail(unknown)
      await transport.leave()
      await client.close().catch(() => {})
      // The client forgets what was closed by the other side; what belongs to it may still be there.
      await transport.transport.close().catch(() => {})
    },
  }
}

const withoutOutcome = ({ message }: CallFailed): CallFailed =>
  new CallFailed('source_failed', `${message}. What the call has done by then is not known`)

/** It may be that it has no time. */
export const neverAnswered = new CallFailed('source_unavailable', 'It does not answer', { isUnsent: true })
