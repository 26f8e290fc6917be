import { z } from 'zod'
import type { Principal } from '#contract/access.ts'
import type { AskHealth } from '#contract/internal.ts'
import { SourceHealth } from '#contract/source.ts'
import type { HealthListing, Source } from '#contract/source.ts'
import { asSource, listSources } from '#db/sources.ts'
import type { SourceRow } from '#db/sources.ts'
import { isGranted, withoutWay } from '#domain/source.ts'
import { askAll } from './machine-answers.ts'
import type { Parts } from './room.ts'

type HealthParts = Pick<Parts, 'pool' | 'machineId'>

/** What this person may use, each with its health as its machine tells it now. */
export async function listedFor(parts: HealthParts, by: Principal): Promise<Source[]> {
  const rows = (await listSources(parts.pool.db)).filter(({ config }) => isGranted(config.grants, by))
  const healthOfRow = await asked(parts, by, rows)
  return rows.map((row) => {
    const { document, ...config } = by.kind === 'owner' ? row.config : withoutWay(row.config)
    const shown = document === undefined ? config : { ...config, document: beginningOf(document) }
    return { ...asSource(row), config: shown, health: healthOfRow(row) }
  })
}

export async function healthOf(parts: HealthParts, by: Principal): Promise<HealthListing> {
  const rows = (await listSources(parts.pool.db)).filter(({ config }) => isGranted(config.grants, by))
  const healthOfRow = await asked(parts, by, rows)
  const servers = rows.map(healthOfRow)
  const healthy = servers.filter(({ status }) => status === 'healthy').length
  const unhealthy = servers.filter(({ status }) => status === 'unhealthy' || status === 'unauthorized').length
  return { summary: { total: servers.length, healthy, unhealthy }, servers }
}

async function asked(
  { pool, machineId }: HealthParts,
  by: Principal,
  rows: readonly SourceRow[],
): Promise<(row: SourceRow) => SourceHealth> {
  const body = { by } satisfies AskHealth
  const shape = z.array(SourceHealth)
  const answers =
    rows.length === 0 ? [] : await askAll(pool.db, { path: '/sources/health', body, shape, first: machineId })
  const told = new Map<string, SourceHealth>()
  const silences = new Map<string, string>()
  for (const answer of answers)
    if ('data' in answer) for (const health of answer.data) told.set(health.name, health)
    else silences.set(answer.machine.id, answer.silence.message)
  return (row) => told.get(row.name) ?? unheardOf(row, silences.get(row.machineId))
}

/** Its machine says nothing, or nothing of it yet. */
function unheardOf({ name }: SourceRow, silence: string | undefined): SourceHealth {
  return {
    name,
    status: silence === undefined ? 'connecting' : 'unhealthy',
    error: silence ?? null,
    errorAt: silence === undefined ? null : new Date().toISOString(),
    nextRetryAt: null,
    tools: 0,
    protocol: null,
    server: null,
    pid: null,
    since: null,
  }
}

/** Enough to know it again. */
const beginningOf = (document: string): string =>
  document.length > 1_000 ? `${document.slice(0, 1_000)}…` : document
