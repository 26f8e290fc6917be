import { computeScopeUnion } from '@modelcontextprotocol/client'
import type { Logger } from '#lib/log.ts'
import type { UpstreamAuth } from './auth.ts'
import type { Luggage } from './oauth-grant.ts'
import { planJourney } from './oauth-journey.ts'
import type { Challenge } from './oauth-journey.ts'
import { openPerson } from './oauth-person.ts'
import type { Person } from './oauth-person.ts'
import { redeem } from './oauth-return.ts'
import { revokeUpstream } from './oauth-revoke.ts'
import { askedWithoutToken } from './oauth-probe.ts'
import { asLoginFailed } from './oauth-words.ts'
import { LoginFailed, NotTheirs } from './port.ts'
import type { GrantStore, GuardedSource, Logins } from './port.ts'

const journeyMs = 10 * 60_000

export interface OAuth extends Logins {
  /** What opens this source for this person. The same one each time, whatever connects and reconnects with it. */
  authFor(source: GuardedSource, principalId: string): UpstreamAuth
}

/** Lets people let us in at upstreams: OAuth 2.1, each person for themselves. One for each worker. */
export function openOAuth({ store, log }: { store: GrantStore; log: Logger }): OAuth {
  const people = new Map<string, Person>()
  /** As it is now: whoever edits a source gives us another one. */
  const sources = new Map<string, GuardedSource>()

  function personAt(source: GuardedSource, principalId: string): Person {
    sources.set(source.id, source)
    const key = `${source.id} ${principalId}`
    const known = people.get(key)
    if (known) return known
    const person = openPerson(store, () => sources.get(source.id) ?? source, principalId)
    people.set(key, person)
    return person
  }

  return {
    authFor: (source, principalId) => personAt(source, principalId).auth,

    async authorize(source, principalId, back) {
      const person = personAt(source, principalId)
      try {
        const grant = await person.grant()
        const challenge = person.challenge() ?? (await askedWithoutToken(source.url))
        const scope = computeScopeUnion(source.scopes.join(' '), grant.wantedScope, challenge.scope)
        const asked: Challenge = { ...challenge, scope }
        const { authorizationUrl, state, luggage } = await planJourney(source, grant, back, asked)
        const journey = { sourceId: source.id, principalId, luggage }
        return { authorizationUrl, expiresAt: await store.depart(state, journey, journeyMs) }
      } catch (error) {
        throw asLoginFailed(source, back, error)
      }
    },

    async authorized(principalId, state, parameters, find) {
      const journey = await store.arrive(state)
      if (journey && journey.principalId !== principalId)
        throw new NotTheirs(
          'It was somebody else who began this, and they would have got what is yours: nobody was let in. To let Signalbox in for yourself, open Tools.',
        )
      const source = journey && (await find(journey.sourceId))
      if (!source)
        throw new LoginFailed(
          'This way back is not known: it was used already, or is older than ten minutes. Begin again, from Tools.',
        )
      const luggage = journey.luggage as Luggage
      try {
        await personAt(source, principalId).accept(await redeem(source, luggage, parameters))
      } catch (error) {
        throw asLoginFailed(source, luggage, error)
      }
      return source
    },

    async revoke(source, principalId) {
      const grant = await personAt(source, principalId).drop()
      try {
        await revokeUpstream(source, grant)
      } catch (error) {
        log.warn({ err: error, source: source.name }, 'an upstream did not take its tokens back')
      }
    },
  }
}
