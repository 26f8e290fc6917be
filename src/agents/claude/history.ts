import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readLines } from '#lib/lines.ts'
import type { HistoryReader, OutsideSession, OutsideTurn } from '../history.ts'
import { isRecord } from './frame.ts'
import { entryOf } from './history-entry.ts'
import type { Entry } from './history-entry.ts'

/** The newest; older ones nobody looks for in a list. */
const mostSessions = 200
const mostTurns = 2_000
/** A line may hold a picture; one that is longer still is skipped, and counted. */
const longestLine = 16 * 1024 * 1024
const sessionFile = /^([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\.jsonl$/i

interface Found {
  ref: string
  file: string
  changedMs: number
}

/** Claude Code's own files: `projects/<folder>/<session id>.jsonl`, one JSON object a line, only ever added to. */
export const claudeHistory: HistoryReader = {
  async listSessions(env) {
    const folder = env['CLAUDE_CONFIG_DIR'] ?? join(env['HOME'] ?? '/', '.claude')
    const found = await findFiles(join(folder, 'projects'))
    const newest = found.toSorted((a, b) => b.changedMs - a.changedMs).slice(0, mostSessions)
    const sessions: OutsideSession[] = []
    for (const each of newest) sessions.push(...(await describe(each)))
    return sessions
  },

  async readTurns(file, after) {
    let turns: OutsideTurn[] = []
    let mark: string | null = null
    // A file in which the mark is not is another one: then all of it is news.
    const skipped = await readEntries(file, ({ uuid, said }) => {
      if (said) turns.push(said)
      mark = uuid ?? mark
      if (after !== undefined && uuid === after) turns = []
    })
    return { turns: turns.slice(-mostTurns), mark, skipped }
  },
}

async function findFiles(projects: string): Promise<Found[]> {
  const folders = await readdir(projects, { withFileTypes: true }).catch(() => [])
  const found: Found[] = []
  for (const folder of folders.filter((entry) => entry.isDirectory())) {
    for (const name of await readdir(join(projects, folder.name)).catch(() => [])) {
      const ref = sessionFile.exec(name)?.[1]
      const file = join(projects, folder.name, name)
      const known = ref === undefined ? undefined : await stat(file).catch(() => undefined)
      if (ref !== undefined && known?.isFile()) found.push({ ref, file, changedMs: known.mtimeMs })
    }
  }
  return found
}

/** Nothing for a file in which nobody has asked anything. */
async function describe({ ref, file, changedMs }: Found): Promise<OutsideSession[]> {
  let [cwd, title, first, startedAt, turns] = ['', '', '', '', 0]
  await readEntries(file, (entry) => {
    cwd ||= entry.cwd ?? ''
    title = entry.title ?? title
    startedAt ||= entry.at ?? ''
    if (entry.said?.role !== 'user') return
    turns += 1
    first ||= entry.said.text
  })
  if (turns === 0) return []
  const updatedAt = new Date(changedMs).toISOString()
  const shown = (title || first).replaceAll(/\s+/g, ' ').trim().slice(0, 100)
  return [{ ref, cwd, title: shown, startedAt: startedAt || updatedAt, updatedAt, file, turns }]
}

/** Says how many lines could not be understood. A file that is gone has none. */
async function readEntries(file: string, take: (entry: Entry) => void): Promise<number> {
  let skipped = 0
  await readLines(createReadStream(file), {
    take: (line) => {
      const value = parse(line)
      if (value) take(entryOf(value))
      else skipped += 1
    },
    tooLong: () => {
      skipped += 1
    },
    longest: longestLine,
  })
  return skipped
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
