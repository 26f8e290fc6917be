import type { AuthProvider, Client } from '@modelcontextprotocol/client'
import type { SourceConfig } from '#contract/source.ts'
import { CallFailed } from '../port.ts'
import { openGate } from './gate.ts'
import { connectPatienceMs } from './limits.ts'
import { makeClient, openLink } from './link.ts'
import type { Link, LinkEvents } from './link.ts'
import { openTransport } from './transport.ts'
import type { OpenedTransport, Wire } from './transport.ts'
import { asCallFailed, sentence, statusOf } from './why.ts'

/** What was found out about an upstream at earlier tries. */
export interface Remembered {
  /** It speaks the protocol of 2025; asked again after a day, for it may have learnt. */
  legacyUntil?: number
  /** At its address is only the transport of 2024. */
  hasOnlySse?: boolean
}

export interface Place {
  config: SourceConfig
  version: string
  home: string
  auth: AuthProvider | undefined
  remembered: Remembered
  onNoise: (told: string) => void
}

const rememberMs = 24 * 60 * 60 * 1_000
/** A program that has said nothing by then does not know the question; what answers at an address answers. */
const probeMs = { stdio: 4_000, http: 10_000, sse: 10_000, websocket: 4_000 } as const satisfies Record<
  Wire,
  number
>
// Many begin at once when a worker starts.
const starting = openGate(8, 3_000)
const dialling = openGate(64, 3_000)

/** One try. Rejects with CallFailed, and leaves nothing behind then. */
export async function connect(place: Place, events: LinkEvents, signal: AbortSignal): Promise<Link> {
  const wire = wireOf(place)
  const leave = await (wire === 'stdio' ? starting : dialling).enter()
  try {
    signal.throwIfAborted()
    return await connectBy(wire, place, events, signal)
  } finally {
    leave()
  }
}

function wireOf({ config: { transport }, remembered }: Place): Wire {
  if (transport === 'http' && remembered.hasOnlySse) return 'sse'
  if (transport === 'stdio' || transport === 'http' || transport === 'sse' || transport === 'websocket')
    return transport
  throw new CallFailed('source_unavailable', `${transport} is no way to speak MCP`)
}

async function connectBy(wire: Wire, place: Place, events: LinkEvents, signal: AbortSignal): Promise<Link> {
  try {
    return await dial(wire, place, events, signal)
  } catch (error) {
    const status = statusOf(error)
    const isRefused =
      status !== undefined && status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)
    if (wire !== 'http' || !isRefused || signal.aborted) throw asCallFailed(error)
    const link = await dial('sse', place, events, signal).catch(() => undefined)
    if (!link) throw asCallFailed(error)
    place.remembered.hasOnlySse = true
    return link
  }
}

async function dial(wire: Wire, place: Place, events: LinkEvents, signal: AbortSignal): Promise<Link> {
  const { remembered } = place
  const isKnown = wire === 'sse' || (remembered.legacyUntil ?? 0) > Date.now()
  const opened = openTransport(wire, place)
  const client = makeClient(place.version, probeMs[wire])
  try {
    await shakeHands(client, opened, isKnown, signal)
  } catch (error) {
    const ending = wire === 'stdio' ? opened.gone() : undefined
    await opened.transport.close().catch(() => {})
    if (ending === undefined || signal.aborted) throw error
    // Some programs end at the first word that they do not know. They are asked in the old way then.
    if (isKnown) throw new CallFailed('source_unavailable', sentence(ending), { isUnsent: true })
    remembered.legacyUntil = Date.now() + rememberMs
    try {
      return await dial(wire, place, events, signal)
    } catch (again) {
      delete remembered.legacyUntil
      throw again
    }
  }
  const link = openLink(client, opened, events)
  if (!link.isModern && !isKnown) remembered.legacyUntil = Date.now() + rememberMs
  return link
}

async function shakeHands(
  client: Client,
  { transport }: OpenedTransport,
  isLegacy: boolean,
  signal: AbortSignal,
): Promise<void> {
  const late = Promise.withResolvers<never>()
  const why = `It did not answer within ${connectPatienceMs / 1_000} s`
  const timer = setTimeout(
    () => late.reject(new CallFailed('source_unavailable', why, { isUnsent: true })),
    connectPatienceMs,
  )
  const stop = () => late.reject(new CallFailed('source_unavailable', 'It was stopped', { isUnsent: true }))
  signal.addEventListener('abort', stop, { once: true })
  const connecting = client.connect(transport, {
    timeout: connectPatienceMs,
    ...(isLegacy && { prior: { kind: 'legacy' } }),
  })
  try {
    await Promise.race([connecting, late.promise])
  } finally {
    connecting.catch(() => {})
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
