import { AllSettings, ChangeSettings, SettingKey } from '#contract/settings.ts'
import type { Setting, SettingSource } from '#contract/settings.ts'
import { putAt, valueAt } from '#lib/tree.ts'
import { Problem } from './problem.ts'

/** A setting as the database keeps it: maybe from an older version, maybe written by hand. */
export interface StoredSetting {
  key: string
  value: unknown
  updatedBy: string
  updatedAt: Date
}

/** What must be known of a configuration to put settings over it; the rest is found by `settingPlaces`. */
export interface Configured {
  worker: { heartbeatIntervalMs: number; staleAfterMs: number }
  /** Who set a value, by its key in the YAML tree; nobody: it is the default. */
  sources: ReadonlyMap<string, SettingSource>
}

/** Where each setting stands in the configuration, and in the YAML tree that remembers sources. */
export const settingPlaces = {
  logLevel: { config: 'log.level', tree: 'logging.level' },
  logRetentionDays: { config: 'log.retentionDays', tree: 'logging.retentionDays' },
  corsEnabled: { config: 'cors.enabled', tree: 'server.cors.enabled' },
  corsOrigins: { config: 'cors.origins', tree: 'server.cors.origins' },
  workerMaxConcurrent: { config: 'worker.maxConcurrent', tree: 'worker.maxConcurrent' },
  heartbeatIntervalMs: { config: 'worker.heartbeatIntervalMs', tree: 'worker.heartbeatInterval' },
  staleAfterMs: { config: 'worker.staleAfterMs', tree: 'worker.staleAfter' },
  minFreeDiskBytes: { config: 'worker.minFreeDiskBytes', tree: 'worker.minFreeDisk' },
  maxOutputTokens: { config: 'chat.maxOutputTokens', tree: 'chat.maxOutputTokens' },
  maxHistoryTokens: { config: 'chat.maxHistoryTokens', tree: 'chat.maxHistoryTokens' },
  maxHistoryMessages: { config: 'chat.maxHistoryMessages', tree: 'chat.maxHistoryMessages' },
  historyCompression: { config: 'chat.compression', tree: 'chat.compression' },
  historySummaries: { config: 'chat.summaries', tree: 'chat.summaries' },
  sessionTtlMs: { config: 'sessionTtlMs', tree: 'sessions.ttl' },
  llmProvider: { config: 'models.provider', tree: 'models.provider' },
  llmModel: { config: 'models.model', tree: 'models.model' },
  budgetPerExecutionUsd: { config: 'budgets.perExecutionUsd', tree: 'budgets.perExecutionUsd' },
  budgetPerDayUsd: { config: 'budgets.perDayUsd', tree: 'budgets.perDayUsd' },
} satisfies Record<SettingKey, { config: string; tree: string }>

export interface Effective<Config extends Configured> {
  config: Config
  /** What stands in the database and does not fit (any more), and why. It is left out, never a reason to stop. */
  ignored: { key: string; reason: string }[]
}

/** The configuration with the database's settings over it. */
export function withSettings<Config extends Configured>(
  config: Config,
  stored: readonly Pick<StoredSetting, 'key' | 'value'>[],
): Effective<Config> {
  const changed = structuredClone(config)
  const ignored: Effective<Config>['ignored'] = []
  for (const { key, value } of stored) {
    const known = SettingKey.safeParse(key)
    const result = known.success ? ChangeSettings.shape[known.data].safeParse(value) : undefined
    if (!known.success || !result) ignored.push({ key, reason: 'is not a setting of this version' })
    else if (!result.success) ignored.push({ key, reason: result.error.issues[0]?.message ?? 'does not fit' })
    else if (result.data !== null) putAt(changed, settingPlaces[known.data].config.split('.'), result.data)
  }
  const { heartbeatIntervalMs, staleAfterMs } = config.worker
  if (changed.worker.staleAfterMs < 2 * changed.worker.heartbeatIntervalMs) {
    ignored.push(
      { key: 'heartbeatIntervalMs', reason: leaseClash },
      { key: 'staleAfterMs', reason: leaseClash },
    )
    changed.worker = { ...changed.worker, heartbeatIntervalMs, staleAfterMs }
  }
  return { config: changed, ignored }
}

const leaseClash =
  'staleAfterMs must be at least twice heartbeatIntervalMs, or living workers are taken for dead'

/** Throws when a change fits key by key but not together with what stands already. */
export function checkChange(
  config: Configured,
  stored: readonly StoredSetting[],
  change: ChangeSettings,
): void {
  const kept = stored.filter(({ key }) => !Object.hasOwn(change, key))
  const given = Object.entries(change).map(([key, value]) => ({ key, value }))
  const fields = withSettings(config, [...kept, ...given])
    .ignored.filter(({ key }) => Object.hasOwn(change, key))
    .map(({ key, reason }) => ({ field: key, reason }))
  const [first] = fields
  if (!first) return
  const message = `The body does not fit: ${first.field}: ${first.reason}`
  throw new Problem('does_not_fit', message, { in: 'body', fields })
}

/** What is known of a place in the YAML tree: what stands there when nobody says anything, and which variable is for it. */
export interface Origins {
  defaultAt(path: string): unknown
  variableAt(path: string): string | null
}

/** Every setting with its value, where that comes from, and what would hold without the database. */
export function describeSettings(
  config: Configured,
  stored: readonly StoredSetting[],
  origins: Origins,
): AllSettings {
  const effective = withSettings(config, stored)
  const ignored = new Map(effective.ignored.map(({ key, reason }) => [key, reason]))
  const describe = (key: SettingKey): Setting => {
    const place = settingPlaces[key].config.split('.')
    const row = ignored.has(key) ? undefined : stored.find((candidate) => candidate.key === key)
    const fallback: SettingSource = config.sources.get(settingPlaces[key].tree) ?? 'default'
    return {
      value: valueAt(effective.config, place) ?? null,
      source: row ? 'database' : fallback,
      description: ChangeSettings.shape[key].unwrap().description ?? '',
      otherwise: valueAt(config, place) ?? null,
      otherwiseSource: fallback,
      default: origins.defaultAt(settingPlaces[key].tree) ?? null,
      variable: origins.variableAt(settingPlaces[key].tree),
      key: settingPlaces[key].tree,
      ignored: ignored.get(key) ?? null,
      updatedBy: row?.updatedBy ?? null,
      updatedAt: row?.updatedAt.toISOString() ?? null,
    }
  }
  return AllSettings.parse(Object.fromEntries(SettingKey.options.map((key) => [key, describe(key)])))
}
