import type { Logger } from 'pino'
import { isDatabaseAway } from '#db/failure.ts'
import type { Listener } from '#db/listen.ts'
import type { Database } from '#db/pool.ts'
import { livingTokens } from '#db/terminals.ts'
import { placeGone } from './place-gone.ts'
import type { Viewer } from './viewer.ts'

interface Needs {
  db: Database
  listener: Listener
  log: Logger
  /** Who is here at present. */
  viewers: ReadonlySet<Viewer>
}

/** For what goes along with something else that is deleted, of which nobody tells. */
const lookMs = 20_000
/** A session that says much is not looked at for each word. */
const restMs = 500

/** Ends what is open for those whose right to it is gone, and shows what a window has become. */
export function openWatch({ db, listener, log, viewers }: Needs): { close(): void } {
  const resting = new Map<string, NodeJS.Timeout>()

  async function checkRights(): Promise<void> {
    const living = await livingTokens(db, [...new Set([...viewers].map(({ grant }) => grant.tokenId))])
    for (const viewer of viewers)
      if (!living.has(viewer.grant.tokenId)) viewer.end('The right to be here is gone: log in again', false)
  }

  async function checkPlace(id: string): Promise<void> {
    const there = [...viewers].filter(({ grant }) => grant.sessionId === id || grant.workspaceId === id)
    const [first] = there
    const gone = first && (await placeGone(db, first.grant))
    for (const viewer of there)
      if (gone !== undefined) viewer.end(gone, false)
      else if (viewer.grant.window === 'agent') await viewer.look()
  }

  /** Whoever cannot be asked about now is asked about later. */
  function attempt(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!isDatabaseAway(error)) log.error({ err: error }, 'could not look after what is open')
    })
  }

  function checkSoon(id: string): void {
    if (resting.has(id)) return
    const timer = setTimeout(() => {
      resting.delete(id)
      attempt(() => checkPlace(id))
    }, restMs)
    resting.set(id, timer)
  }

  const checkAll = () => {
    attempt(checkRights)
    for (const { grant } of viewers) checkSoon(grant.sessionId ?? grant.workspaceId ?? '')
  }
  const endings = [
    listener.on('revoked', () => attempt(checkRights)),
    listener.on('events', (notified) => {
      const id = notified.slice(0, notified.indexOf(':'))
      for (const { grant } of viewers) if (grant.sessionId === id) return checkSoon(id)
    }),
    listener.onReconnect(checkAll),
  ]
  const looking = setInterval(checkAll, lookMs)
  return {
    close() {
      clearInterval(looking)
      for (const timer of resting.values()) clearTimeout(timer)
      for (const end of endings) end()
    },
  }
}
