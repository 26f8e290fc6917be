import type { Logger } from 'pino'
import { ownSecretsOf } from '#lib/own-secrets.ts'
import { discreetSource } from '#tools/discreet-source.ts'
import type { OAuth } from '#tools/mcp/oauth.ts'
import type { Caller, ToolSource } from '#tools/port.ts'
import { guardedBy } from '#worker/tools/authorize.ts'
import type { SourceSpec } from '#worker/tools/open-row.ts'

interface Needs {
  home: string
  log: Logger
  version: string
  oauth: () => Promise<OAuth>
  /** Where the credentials of a source belong, once and for all (openapi). */
  keepHome: (home: { id: string; address: string; origin: string }) => Promise<string>
}

/** Opens sources by what they are; each kind is loaded when the first of it is opened. */
export function openSourceOf({ home, log, version, oauth, keepHome }: Needs) {
  return async (spec: SourceSpec): Promise<ToolSource> =>
    discreetSource(await open(spec), ownSecretsOf(spec.config))

  async function open({ id, name, config }: SourceSpec): Promise<ToolSource> {
    if (config.transport === 'openapi') {
      const { openOpenApiSource } = await import('#tools/openapi/open.ts')
      return openOpenApiSource({
        name,
        config,
        log,
        keepHome: (address, origin) => keepHome({ id, address, origin }),
      })
    }
    const spec = { name, config, home, log, version }
    if (config.transport === 'langchain') {
      const { openLangchainSource } = await import('#tools/langchain/open.ts')
      return openLangchainSource(spec)
    }
    const { openMcpSource } = await import('#tools/mcp/open.ts')
    const guarded = guardedBy({ id, name }, config)
    if (!guarded) return openMcpSource(spec)
    const logins = await oauth()
    return openMcpSource({
      ...spec,
      authFor: (caller) => caller && logins.authFor(guarded, personOf(caller)),
    })
  }
}

/** What upstreams give, they give to people: an agent uses what was given to the one whose session it is. */
const personOf = (caller: Caller): string => (caller.kind === 'agent' ? caller.onBehalfOf : caller.id)
