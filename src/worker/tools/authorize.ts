import type { Principal } from '#contract/access.ts'
import type { AskAuthorized, AskSource } from '#contract/internal.ts'
import type { AuthorizeSource, Authorized, SourceConfig } from '#contract/source.ts'
import { noteAudit } from '#db/audit.ts'
import type { Database } from '#db/pool.ts'
import { findSourceById } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { isGranted } from '#domain/source.ts'
import { theSource } from '#flows/find-source.ts'
import type { Seal } from '#lib/sealed.ts'
import { LoginFailed, NotTheirs } from '#tools/mcp/port.ts'
import type { GuardedSource, Logins } from '#tools/mcp/port.ts'
import { fillIn } from './fill-in.ts'
import { wholeConfig } from './open-row.ts'

export interface AuthorizeNeeds {
  db: Database
  seal: Seal
  env: () => NodeJS.ProcessEnv
  logins: Logins
}

/** How a person lets us in at a source of this machine, and takes it back. */
export interface Authorizing {
  authorize(asked: AskSource): Promise<AuthorizeSource>
  authorized(back: AskAuthorized): Promise<Authorized>
  revoke(asked: AskSource): Promise<void>
}

export function openAuthorizing({ db, seal, env, logins }: AuthorizeNeeds): Authorizing {
  function guarded(row: SourceRow): GuardedSource {
    const source = guardedBy(row, fillIn(wholeConfig(row, seal), env()))
    if (source) return source
    const why = `${row.name} is not a source that people let Signalbox in at (auth.type oauth)`
    throw bodyMisfit('name', why)
  }

  async function theirs({ by, name }: AskSource): Promise<GuardedSource> {
    if (by.kind === 'agent')
      throw new Problem('forbidden', 'An agent has what its person has: a person has to let Signalbox in')
    const row = await theSource(db, name)
    if (!isGranted(row.config.grants, by)) throw new Problem('source_not_found', `There is no source ${name}`)
    return guarded(row)
  }
  const note = (actor: Principal['id'], name: string, subject: string, outcome: 'ok' | 'failed') =>
    noteAudit(db, { kind: 'source', actor, subject, outcome, detail: { name } })

  return {
    async authorize(asked) {
      const { redirectUrl, clientMetadataUrl } = asked
      if (redirectUrl === undefined) throw bodyMisfit('redirectUrl', 'is missing')
      const source = await theirs(asked)
      const back = { redirectUrl, clientMetadataUrl }
      const { authorizationUrl, expiresAt } = await told(logins.authorize(source, asked.by.id, back))
      return { authorizationUrl, expiresAt: expiresAt.toISOString() }
    },
    async authorized({ by, state, parameters }) {
      const find = async (id: string) => {
        const row = await findSourceById(db, id)
        return row && guarded(row)
      }
      const { name } = await told(logins.authorized(by.id, state, parameters, find))
      await note(by.id, name, 'let in', 'ok')
      return { name }
    },
    async revoke(asked) {
      const source = await theirs(asked)
      await logins.revoke(source, asked.by.id)
      await note(asked.by.id, source.name, 'take back', 'ok')
    },
  }
}

/** What is to be known of a source to be let in there; nothing, where nobody needs to be. */
export function guardedBy(
  { id, name }: Pick<SourceRow, 'id' | 'name'>,
  { url, auth }: SourceConfig,
): GuardedSource | undefined {
  if (auth?.type !== 'oauth' || url === undefined) return undefined
  const { scopes, clientId, clientSecret } = auth
  // Where its issuer is told of is asked over HTTP.
  return { id, name, url: url.replace(/^ws(?=s?:)/, 'http'), scopes, clientId, clientSecret }
}

const told = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    if (error instanceof NotTheirs) throw new Problem('forbidden', error.message)
    throw error instanceof LoginFailed ? new Problem('authorization_failed', error.message) : error
  })
