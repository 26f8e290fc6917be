import type { AuthProvider } from '@modelcontextprotocol/client'
import type { SourceConfig, SourceHealth } from '#contract/source.ts'
import type { Logger } from '#lib/log.ts'
import { ownSecretsOf } from '#lib/own-secrets.ts'
import { CallFailed } from '../port.ts'
import type { OfferedTool, SourceChange } from '../port.ts'
import { delayAfter, stableMs } from './backoff.ts'
import { openCondition } from './condition.ts'
import { connect } from './connect.ts'
import type { Remembered } from './connect.ts'
import { exchanges } from './exchange.ts'
import { keepTools } from './kept-tools.ts'
import type { Link, LinkEvents } from './link.ts'
import { openPulse } from './pulse.ts'
import { asCallFailed } from './why.ts'

export interface ConnectionSpec {
  config: SourceConfig
  version: string
  home: string
  log: Logger
  auth?: AuthProvider | undefined
  remembered: Remembered
  onChange: (change: SourceChange) => void
  /** Called with every new link before anybody else uses it. */
  onLink: (link: Link) => void
}

/** A way to an upstream that is kept open for as long as anybody wants it. */
export interface Connection {
  tools: () => readonly OfferedTool[]
  /** What it has was told once. */
  isKnown: () => boolean
  health: () => Omit<SourceHealth, 'name'>
  /** The one that stands, if one does. */
  standing: () => Link | undefined
  /** The one that stands, or stood last. */
  link: () => Link | undefined
  /** A link that stands, made now if need be. Rejects with CallFailed when there is none to be had. */
  ready: () => Promise<Link>
  /** Another link in the place of this one, which is of no use any more. Rejects as `ready` does. */
  anew: (link: Link, why: CallFailed) => Promise<Link>
  /** Something about it is strange: looks whether it is there. */
  doubt: () => void
  /** What kept us out may have changed. */
  tryNow: () => void
  /** What opened it counts no more: leaves the link that stands, with whatever is under way there, and tries anew. */
  renew: () => void
  close: () => Promise<void>
}

/** A call makes it try at once, but not more often than this; where we are not let in, nobody hammers at the door. */
const betweenTriesMs = 1_000
const betweenKnocksMs = 30_000
/** A token that was refused may be good again some day. */
const knockAgain = () => Math.round(180_000 * (0.75 + Math.random() / 2))

export function keepConnected(spec: ConnectionSpec): Connection {
  const { config, onChange } = spec
  const end = new AbortController()
  const condition = openCondition(spec.log, () => onChange({ kind: 'health' }), ownSecretsOf(config).hideAll)
  const tools = keepTools(
    () => onChange({ kind: 'tools' }),
    (error) => condition.note(`Its tools could not be read again: ${asCallFailed(error).message}`),
  )
  let standing: Link | undefined
  let last: Link | undefined
  let attempt: Promise<Link> | undefined
  let closing: Promise<void> | undefined
  let failures = 0
  let triedAt = 0
  let connectedAt = 0
  let retry: NodeJS.Timeout | undefined

  const endings = new Set<Promise<void>>()
  const pulse = openPulse({ link: () => standing, onDead: lose })
  const part = (link: Link, why?: CallFailed): void => {
    const ending = link.close(why).finally(() => endings.delete(ending))
    endings.add(ending)
  }

  function tryOnce(): Promise<Link> {
    clearTimeout(retry)
    // Not in the context of a call that happens to wait: what comes by this link is not all theirs.
    attempt ??= exchanges
      .exit(() => establish())
      .finally(() => {
        attempt = undefined
        triedAt = Date.now()
      })
    return attempt
  }

  async function establish(): Promise<Link> {
    let lost: CallFailed | undefined
    const events: LinkEvents = {
      onLost: (why) => {
        lost = why
        lose(link, why)
      },
      onDoubt: () => pulse.beatNow(),
      onNotification: (method, params) => {
        if (method === 'notifications/tools/list_changed' && link) tools.readSoon(link.tools)
        else onChange({ kind: 'notification', method, ...(params && { params }) })
      },
    }
    let link: Link | undefined
    try {
      link = await connect({ ...spec, auth: spec.auth, onNoise: condition.note }, events, end.signal)
      await tools.read(link.tools)
      if (lost) throw lost
    } catch (error) {
      if (link) part(link)
      throw fail(beforeAnyCall(asCallFailed(error)))
    }
    standing = last = link
    connectedAt = Date.now()
    condition.become('healthy')
    spec.onLink(link)
    return link
  }

  function lose(link: Link | undefined, why: CallFailed): void {
    if (!link || standing !== link) return
    if (Date.now() - connectedAt > stableMs) failures = 0
    fail(why)
    part(link, why)
  }

  function fail(why: CallFailed): CallFailed {
    standing = undefined
    if (end.signal.aborted) return why
    condition.note(why.message)
    clearTimeout(retry)
    const isShut = why.reason === 'source_unauthorized'
    const status = isShut ? 'unauthorized' : 'unhealthy'
    // Where people let us in we hear of it when they do.
    if (isShut && spec.auth) condition.become(status)
    else {
      if (!isShut) failures += 1
      const delay = isShut ? knockAgain() : delayAfter(failures, config.retryPolicy)
      retry = setTimeout(() => void tryOnce().catch(() => {}), delay)
      condition.become(status, new Date(Date.now() + delay))
    }
    return why
  }

  async function ready(): Promise<Link> {
    if (standing) return standing
    if (end.signal.aborted) throw new CallFailed('source_unavailable', 'It was removed', { isUnsent: true })
    const { status, error, nextRetryAt } = condition.told()
    const isShut = status === 'unauthorized'
    if (attempt || Date.now() - triedAt >= (isShut ? betweenKnocksMs : betweenTriesMs)) return await tryOnce()
    const when = nextRetryAt ? `; it is tried again at ${nextRetryAt}` : ''
    throw new CallFailed(
      isShut ? 'source_unauthorized' : 'source_unavailable',
      `${error ?? 'It is gone'}${when}`,
      {
        isUnsent: true,
        context: { nextRetryAt },
      },
    )
  }

  const tryNow = () => {
    triedAt = 0
    if (!standing && !end.signal.aborted) void tryOnce().catch(() => {})
  }
  function renew(): void {
    // It began with what counted before.
    if (attempt) return void attempt.catch(() => {}).finally(renew)
    const link = standing
    standing = undefined
    if (link) part(link)
    tryNow()
  }
  tryNow()
  return {
    tools: tools.now,
    isKnown: tools.isKnown,
    health: () => ({
      ...condition.told(),
      tools: tools.now().length,
      protocol: last?.protocol ?? null,
      server: last?.server ?? null,
      pid: standing?.pid ?? null,
    }),
    standing: () => standing,
    link: () => standing ?? last,
    ready,
    async anew(link, why) {
      lose(link, why)
      return standing ?? (await tryOnce())
    },
    doubt: () => pulse.beatNow(),
    tryNow,
    renew,
    close() {
      closing ??= (async () => {
        const link = standing
        end.abort()
        clearTimeout(retry)
        pulse.close()
        tools.close()
        standing = undefined
        if (link) part(link)
        await attempt?.catch(() => {})
        await Promise.all(endings)
      })()
      return closing
    },
  }
}

/** Whatever went wrong on the way there, no call has begun yet. */
const beforeAnyCall = ({ reason, message, context }: CallFailed): CallFailed =>
  new CallFailed(reason === 'source_unauthorized' ? reason : 'source_unavailable', message, {
    isUnsent: true,
    ...(context && { context }),
  })
