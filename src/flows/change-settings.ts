import type { Config } from '#config/config.ts'
import { origins } from '#config/origins.ts'
import type { Principal } from '#contract/access.ts'
import type { AllSettings, ChangeSettings } from '#contract/settings.ts'
import { noteAudit } from '#db/audit.ts'
import type { Tx } from '#db/pool.ts'
import { lockSettings, readSettings, removeSettings, saveSettings, tellSettings } from '#db/settings.ts'
import { checkChange, describeSettings } from '#domain/settings.ts'

/** `config` is the configuration without the database's settings. */
export async function changeSettings(
  tx: Tx,
  by: Principal,
  config: Config,
  change: ChangeSettings,
): Promise<AllSettings> {
  await lockSettings(tx)
  checkChange(config, await readSettings(tx), change)
  const given = Object.entries(change)
  await saveSettings(
    tx,
    by.id,
    given.filter(([, value]) => value !== null),
  )
  await removeSettings(
    tx,
    given.filter(([, value]) => value === null).map(([key]) => key),
  )
  if (given.length > 0) {
    await tellSettings(tx)
    const [kind, subject] = ['setting', 'settings changed'] as const
    await noteAudit(tx, { kind, actor: by.id, subject, outcome: 'ok', detail: change })
  }
  return describeSettings(config, await readSettings(tx), origins)
}
