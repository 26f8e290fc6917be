import { constants } from 'node:fs'
import { lstat, open, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readLines } from '#lib/lines.ts'
import type { HistoryReader, OutsideSession, OutsideTurn, OutsideTurns } from '../history.ts'
import type { Fields } from './fields.ts'
import { fieldsOf, isFields, listOf, oneLine, textOf } from './fields.ts'

const mostSessions = 200
const mostTurns = 2_000
const mostText = 256 * 1024
const longestLine = 16 * 1024 * 1024

/** Codex's own files: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl` in its folder. */
export const codexHistory: HistoryReader = {
  async listSessions(env) {
    const home = env['CODEX_HOME'] ?? join(env['HOME'] ?? '/', '.codex')
    const files = await rolloutsIn(join(home, 'sessions'))
    // The names begin with the time.
    const newest = files.toSorted((a, b) => (basename(a) < basename(b) ? 1 : -1)).slice(0, mostSessions)
    const sessions: OutsideSession[] = []
    for (const file of newest) {
      const session = await summarize(file)
      if (session) sessions.push(session)
    }
    return sessions.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
  },

  async readTurns(file, after) {
    const { said, skipped, lines } = await read(file, Number(after ?? 0))
    return {
      turns: said.slice(-mostTurns),
      skipped,
      mark: lines > 0 ? String(lines) : null,
    } satisfies OutsideTurns
  },
}

async function rolloutsIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && /^rollout-.*\.jsonl$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

async function summarize(file: string): Promise<OutsideSession | undefined> {
  const { meta, said } = await read(file)
  const [ref, cwd] = [textOf(meta['id']), textOf(meta['cwd'])]
  const asked = said.filter(({ role }) => role === 'user')
  // One without a word was never used; what a sub-agent did belongs to the one that sent it.
  if (!ref || !cwd || asked.length === 0 || isFields(meta['source'])) return undefined
  const { mtime } = await lstat(file)
  return {
    ref,
    cwd,
    title: oneLine(asked[0]!.text, 80),
    startedAt: textOf(meta['timestamp']) ?? asked[0]!.at ?? mtime.toISOString(),
    updatedAt: mtime.toISOString(),
    file,
    turns: asked.length,
  }
}

interface Rollout {
  meta: Fields
  said: OutsideTurn[]
  skipped: number
  lines: number
}

async function read(file: string, after = 0): Promise<Rollout> {
  const rollout: Rollout = { meta: {}, said: [], skipped: 0, lines: 0 }
  const older: OutsideTurn[] = []
  const take = (line: string): void => {
    rollout.lines += 1
    const isFirst = rollout.lines === 1
    if (!isFirst && (rollout.lines <= after || !mayBeSaid(line))) return
    const record = parse(line)
    if (!record) rollout.skipped += 1
    else if (record['type'] === 'session_meta') rollout.meta = fieldsOf(record['payload'])
    else {
      const { turn, isOlder } = turnIn(record)
      if (turn) (isOlder ? older : rollout.said).push(turn)
    }
  }
  // Whoever writes these files could put a link in their place.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined)
  if (!handle) return rollout
  await readLines(handle.createReadStream(), {
    take,
    tooLong: () => {
      rollout.lines += 1
      rollout.skipped += 1
    },
    longest: longestLine,
  })
  if (rollout.said.length === 0) rollout.said = older
  return rollout
}

/** Most lines are long and of no matter here; broken ones are. */
const mayBeSaid = (line: string): boolean =>
  /user_message|agent_message|UserMessage|AgentMessage/.test(line) || !line.endsWith('}')

/** Versions before 0.150 or so knew no items, and wrote messages as events of their own. */
function turnIn({ timestamp, payload }: Fields): { turn?: OutsideTurn; isOlder?: boolean } {
  const event = fieldsOf(payload)
  const item = fieldsOf(event['item'])
  const roles: Record<string, OutsideTurn['role']> = {
    UserMessage: 'user',
    AgentMessage: 'assistant',
    user_message: 'user',
    agent_message: 'assistant',
  }
  const isOlder = event['type'] !== 'item_completed'
  const role = roles[textOf(isOlder ? event['type'] : item['type']) ?? '']
  const text = isOlder
    ? textOf(event['message'])
    : listOf(item['content'])
        .map((part) => textOf(part['text']) ?? '')
        .join('')
  if (!role || !text) return {}
  return { turn: { role, text: text.slice(0, mostText), at: textOf(timestamp) ?? null }, isOlder }
}

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
