import type { Logger } from 'pino'
import type { SourceConfig } from '#contract/source.ts'
import type { SourceRow } from '#db/sources.ts'
import { Problem } from '#domain/problem.ts'
import { ownSecretsOf } from '#lib/own-secrets.ts'
import { SealBroken } from '#lib/sealed.ts'
import type { Seal } from '#lib/sealed.ts'
import type { ToolSource } from '#tools/port.ts'
import { checkPlaces } from './check-source.ts'
import type { CheckNeeds } from './check-source.ts'
import { NotFilledIn, fillIn } from './fill-in.ts'
import { idleSource } from './idle-source.ts'
import { withSecrets } from './source-secrets.ts'
import type { SourceSecrets } from './source-secrets.ts'

/** Ready to be used: variables are filled in, secrets are there, paths are real. */
export interface SourceSpec {
  id: string
  name: string
  config: SourceConfig
}

export interface OpenNeeds {
  seal: Seal
  check: () => CheckNeeds
  /** Rejects with an Error whose message is for people. */
  openSource: (spec: SourceSpec) => Promise<ToolSource>
  log: Logger
}

export const sealedAs = ({ id }: Pick<SourceRow, 'id'>): string => `source:${id}`

/** Everything that was said of it. Throws SealBroken. */
export function wholeConfig({ id, config, secrets }: SourceRow, seal: Seal): SourceConfig {
  return secrets ? withSecrets(config, seal.unseal(secrets, sealedAs({ id })) as SourceSecrets) : config
}

/** Never rejects: what cannot be begun says why in its health. */
export async function openRow(row: SourceRow, needs: OpenNeeds): Promise<ToolSource> {
  const { id, name } = row
  const { description = '', enabled } = row.config
  if (!enabled) return idleSource(name, description, 'disabled', null)
  let secrets = ownSecretsOf({})
  try {
    const check = needs.check()
    const whole = wholeConfig(row, needs.seal)
    secrets = ownSecretsOf(whole)
    const filled = fillIn(whole, check.env)
    secrets = ownSecretsOf(filled)
    const config = await checkPlaces(filled, check)
    return await needs.openSource({ id, name, config })
  } catch (error) {
    const isTold = error instanceof Problem || error instanceof NotFilledIn || error instanceof SealBroken
    if (!isTold) needs.log.warn({ err: error, source: name }, 'a source cannot be opened')
    const why = secrets.hideAll(error instanceof Error ? error.message : String(error))
    return idleSource(name, description, 'unhealthy', why)
  }
}
