import { homedir } from 'node:os'
import { delimiter } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import type { ScanProgress } from '#contract/discovery.ts'
import { programsToDescribe } from '#db/discovered.ts'
import type { SeenFacts } from '#db/discovered.ts'
import { forgetOldScans } from '#db/scans.ts'
import { LookerLost } from '#discovery/port.ts'
import type { Discovery, Habits, Look } from '#discovery/port.ts'
import { keepFound } from '#flows/keep-found.ts'
import { tellMissingAgents } from '#flows/tell-missing-agents.ts'
import { newId } from '#lib/id.ts'
import { someAtATime } from '#lib/some-at-a-time.ts'
import { describeProgram } from './describe.ts'
import type { DescribeNeeds } from './describe.ts'
import { confirmedThere, lookForAgents } from './missing.ts'
import { openTelling } from './telling.ts'
import type { Telling } from './telling.ts'

export interface ScanNeeds extends DescribeNeeds {
  machineId: string
  config: () => Config
  log: Logger
  env: NodeJS.ProcessEnv
  /** For what nobody waits for. */
  behind: Discovery
}

export interface Scans {
  /** Begins one, or joins the one that is looking now. */
  begin(): Promise<ScanProgress>
  close(): Promise<void>
}

/** What is used most is looked at without anybody asking. */
const mostDescribed = 40
const describedAtOnce = 2
const describingMs = 90_000
const mostTroubles = 100

interface Scan {
  telling: Telling
  isLooking: boolean
  /** It is written down that it goes on. */
  begun: Promise<void>
  done: Promise<void>
}

/** One scan at a time. */
export function openScans(needs: ScanNeeds): Scans {
  let current: Scan | undefined
  let stopping = new AbortController()
  let isClosed = false

  function start(before: Scan | undefined): Scan {
    const telling = openTelling(needs.pool, needs.log, firstProgress(needs.machineId))
    const { signal } = stopping
    const begun = (before?.done ?? Promise.resolve()).then(() => telling.told())
    const scan: Scan = { telling, isLooking: true, begun, done: begun }
    scan.done = begun
      .then(() => run(needs, telling, signal, () => (scan.isLooking = false)))
      .finally(() => (scan.isLooking = false))
    return scan
  }

  return {
    async begin() {
      if (isClosed) throw new Error('The worker is stopping')
      if (!current?.isLooking) {
        // The one before only describes what it found: this one goes on with that.
        stopping.abort()
        stopping = new AbortController()
        current = start(current)
      }
      const { telling, begun } = current
      await begun
      return telling.now()
    },
    async close() {
      isClosed = true
      stopping.abort()
      await current?.done
    },
  }
}

async function run(
  needs: ScanNeeds,
  telling: Telling,
  signal: AbortSignal,
  onStored: () => void,
): Promise<void> {
  try {
    await lookAndKeep(needs, telling, signal)
    onStored()
    await describeUsed(needs, telling, signal)
    telling.tell({ status: 'done', stage: 'index', endedAt: new Date().toISOString() })
  } catch (error) {
    if (!signal.aborted) needs.log.error({ err: error }, 'a scan failed')
    const why = signal.aborted
      ? 'The worker was stopped'
      : error instanceof Error
        ? error.message
        : String(error)
    telling.tell({ status: 'failed', error: why, endedAt: new Date().toISOString() })
  }
  await telling.told()
}

/** Stages one to three, and what people do here; all of it is written at once. */
async function lookAndKeep(
  { pool, machineId, config, env, discovery }: ScanNeeds,
  telling: Telling,
  signal: AbortSignal,
): Promise<void> {
  const folders = [...new Set([...(env['PATH'] ?? '').split(delimiter), ...config().allowedBinaryDirs])]
  const [look, habits] = await Promise.all([
    discovery.look(folders, {
      signal,
      onProgress: (stage, done, total) => telling.tell({ stage, done, total }),
    }),
    discovery.habits(env['HOME'] ?? homedir()),
  ])
  const seen = withHabits(look, habits)
  const [alsoThere, looked] = await Promise.all([
    confirmedThere(pool.db, machineId),
    lookForAgents(pool.db, machineId),
  ])
  signal.throwIfAborted()
  const { added, gone } = await pool.transaction(async (tx) => {
    await tellMissingAgents(tx, looked)
    await forgetOldScans(tx)
    return keepFound(tx, machineId, seen, alsoThere)
  })
  telling.tell({ found: seen.length, added, gone, troubles: look.troubles.slice(0, mostTroubles) })
}

function withHabits({ programs }: Look, { uses, aliases }: Habits): SeenFacts[] {
  const called = Map.groupBy(aliases.keys(), (alias) => aliases.get(alias))
  return programs.map((program) => ({
    ...program,
    uses: uses.get(program.name) ?? 0,
    aliases: (called.get(program.name) ?? []).slice(0, 50),
  }))
}

/** Stages four and five for what is used here. What is left when the time is over is described when somebody asks. */
async function describeUsed(needs: ScanNeeds, telling: Telling, signal: AbortSignal): Promise<void> {
  const rows = await programsToDescribe(needs.pool.db, needs.machineId, mostDescribed)
  const until = AbortSignal.any([signal, AbortSignal.timeout(describingMs)])
  let done = 0
  telling.tell({ stage: 'schema', done, total: rows.length })
  await someAtATime(rows, describedAtOnce, async (row) => {
    if (until.aborted) return
    await describeProgram({ ...needs, discovery: needs.behind }, row, { signal: until }).catch(
      (error: unknown) => {
        if (until.aborted) return
        if (!(error instanceof LookerLost)) throw error
        needs.log.warn({ program: row.path, err: error }, 'a program could not be described')
      },
    )
    telling.tell({ done: (done += 1) })
  })
}

const firstProgress = (machineId: string): ScanProgress => ({
  machineId,
  scanId: newId(),
  status: 'running',
  stage: 'scan',
  done: 0,
  total: 0,
  found: 0,
  added: 0,
  gone: 0,
  troubles: [],
  error: null,
  startedAt: new Date().toISOString(),
  endedAt: null,
})
