import type { AgentPreset } from '#contract/agent.ts'
import type { AskOutside, AskTurns, FoundOutside, FoundTurns, OutsideTurn } from '#contract/internal.ts'
import { importedTitle } from '#domain/imported-turns.ts'
import { bodyMisfit } from '#domain/problem.ts'
import { environmentFor } from '#lib/environment.ts'
import { checkWorkingDir } from './check-paths.ts'
import type { Machine } from './presets.ts'

/** Reads what an agent's program has written down of its own sessions. */
export interface HistoryReader {
  listSessions(env: Readonly<Record<string, string>>): Promise<FoundOutside[]>
  readTurns(file: string, after?: string): Promise<{ turns: OutsideTurn[]; mark: string | null }>
}

/** For those whose history can be read. */
export type Histories = { readonly [Key in AgentPreset]?: HistoryReader }

const mostSessions = 500
/** Together with the rest less than the largest answer of the internal API. */
const mostBytes = 716_800
const longestTurn = 100_000

/** Newest first, as many as anybody would look through. */
export async function outsideSessions(
  machine: Machine,
  histories: Histories,
  asked: AskOutside,
): Promise<FoundOutside[]> {
  const all = await allowedSessions(machine, histories, asked)
  return all.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1)).slice(0, mostSessions)
}

/** What was said in one of them, the latest of it if it is much. */
export async function outsideTurns(
  machine: Machine,
  histories: Histories,
  asked: AskTurns,
): Promise<FoundTurns> {
  const session = (await allowedSessions(machine, histories, asked)).find(({ ref }) => ref === asked.ref)
  const reader = histories[asked.key]
  if (!session || !reader)
    throw bodyMisfit(
      'adopt',
      `the agent's own history has no session ${asked.ref} in a folder that its machine allows`,
    )
  const { turns, mark } = await reader.readTurns(session.file)
  const kept = latest(turns)
  return { session, turns: kept, leftOut: turns.length - kept.length, mark }
}

async function allowedSessions(
  { config, env }: Machine,
  histories: Histories,
  { key, envAllowlist }: AskOutside,
): Promise<FoundOutside[]> {
  const found = (await histories[key]?.listSessions(environmentFor(env, envAllowlist))) ?? []
  const folders = new Map<string, Promise<string | undefined>>()
  const realFolder = (cwd: string) =>
    checkWorkingDir(cwd, config.allowedWorkingDirs, config.home).catch(() => undefined)
  for (const { cwd } of found) if (!folders.has(cwd)) folders.set(cwd, realFolder(cwd))
  const placed = await Promise.all(
    found.map(async (session) => ({ ...session, cwd: await folders.get(session.cwd) })),
  )
  return placed.flatMap(({ cwd, ...session }) => (cwd === undefined ? [] : [readable({ ...session, cwd })]))
}

/** Somebody else has written it: it is told in the shapes that we promise. */
function readable(session: FoundOutside): FoundOutside {
  const updatedAt = timeOf(session.updatedAt) ?? new Date(0).toISOString()
  const startedAt = timeOf(session.startedAt) ?? updatedAt
  return { ...session, title: importedTitle(session.title, session.ref), startedAt, updatedAt }
}

function timeOf(text: string): string | undefined {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

function latest(turns: OutsideTurn[]): OutsideTurn[] {
  const kept: OutsideTurn[] = []
  let bytes = 0
  for (const turn of turns.toReversed()) {
    const short = { ...turn, text: turn.text.slice(0, longestTurn).toWellFormed() }
    bytes += Buffer.byteLength(JSON.stringify(short)) + 1
    if (bytes > mostBytes) break
    kept.push(short)
  }
  return kept.toReversed()
}
