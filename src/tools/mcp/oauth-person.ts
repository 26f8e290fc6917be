import { computeScopeUnion, extractWWWAuthenticateParams } from '@modelcontextprotocol/client'
import { CallFailed } from '../port.ts'
import type { UpstreamAuth } from './auth.ts'
import { hasExpired } from './oauth-grant.ts'
import type { Grant } from './oauth-grant.ts'
import type { Challenge } from './oauth-journey.ts'
import { openKeptGrant } from './oauth-kept.ts'
import { refresh } from './oauth-refresh.ts'
import type { GrantStore, GuardedSource } from './port.ts'

/** One person at one source. */
export interface Person {
  auth: UpstreamAuth
  grant(): Promise<Grant>
  /** What the upstream said last when it refused us. */
  challenge(): Challenge | undefined
  /** They have let us in. */
  accept(grant: Grant): Promise<void>
  /** They have taken it back. Answers with what it was. */
  drop(): Promise<Grant>
}

/** A request that is refused while the token is younger than this was sent with the one before. */
const youngMs = 2_000

export function openPerson(store: GrantStore, source: () => GuardedSource, principalId: string): Person {
  const kept = openKeptGrant(store, source().id, principalId)
  const listeners = new Set<() => void>()
  let challenge: Challenge | undefined
  let refreshing: Promise<void> | undefined

  /** Many calls at the same time need one new token, and a refresh token may be good for one use only. */
  function refreshOnce(): Promise<void> {
    refreshing ??= kept.inTurn(refreshNow).finally(() => (refreshing = undefined))
    return refreshing
  }

  async function refreshNow(): Promise<void> {
    const here = source()
    let refreshed
    try {
      refreshed = await refresh(here, await kept.read(), challenge?.resourceMetadataUrl)
      await kept.write('grant' in refreshed ? refreshed.grant : refreshed.lost)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new CallFailed(
        'source_unavailable',
        `A new token cannot be had just now (${why}). It is tried again with the next call.`,
        { isUnsent: true },
      )
    }
    if ('grant' in refreshed) return
    tellAll()
    throw unauthorized(here.name, refreshed.why)
  }

  function tellAll(): void {
    for (const listener of listeners) listener()
  }

  const auth: UpstreamAuth = {
    principalId,
    async token() {
      const grant = await kept.read()
      if (!grant.tokens || !hasExpired(grant, Date.now())) return grant.tokens?.access_token
      if (!grant.tokens.refresh_token) return undefined
      await refreshOnce()
      return (await kept.read()).tokens?.access_token
    },
    async onUnauthorized({ response }) {
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
      challenge = { resourceMetadataUrl, scope }
      const { tokens, obtainedAt } = await kept.read()
      if (!tokens) throw unauthorized(source().name, 'nobody has let Signalbox in there for you')
      if (obtainedAt !== undefined && Date.now() - obtainedAt < youngMs) return
      await refreshOnce()
    },
    needsScope: (scope) =>
      kept.inTurn(async () => {
        const grant = await kept.read()
        const wantedScope = computeScopeUnion(grant.tokens?.scope, grant.wantedScope, scope)
        if (grant.tokens) await kept.write({ ...grant, wantedScope })
        const what = scope === undefined ? 'more than it gave' : `${scope}, which was not given`
        return sentence(source().name, `this needs ${what}`)
      }),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return {
    auth,
    grant: () => kept.read(),
    challenge: () => challenge,
    accept: (grant) => kept.inTurn(() => kept.write(grant)).then(tellAll),
    async drop() {
      const grant = await kept.inTurn(async () => {
        const had = await kept.read()
        await kept.drop()
        return had
      })
      tellAll()
      return grant
    },
  }
}

const unauthorized = (name: string, why: string) => new CallFailed('source_unauthorized', sentence(name, why))

const sentence = (name: string, why: string) =>
  `It does not let us in: ${why}. Open Tools and let Signalbox in, or POST /api/v1/mcp/${name}/authorize.`
