import { lstat, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HistoryReader, OutsideSession } from '../history.ts'
import { readChat, saidIn } from './gemini-chat.ts'

/** The newest; older ones nobody looks for in a list. */
const mostSessions = 200
const mostTurns = 2_000
const sessionFile = /^session-.*\.jsonl?$/

interface Found {
  cwd: string
  file: string
  changedMs: number
}

/** Gemini CLI's own files: `tmp/<project>/chats/session-*.jsonl` in its folder, beside `.project_root`. */
export const geminiHistory: HistoryReader = {
  async listSessions(env) {
    const home = env['GEMINI_CLI_HOME'] ?? env['HOME'] ?? '/'
    const found = await findFiles(join(home, '.gemini/tmp'))
    const newest = found.toSorted((a, b) => b.changedMs - a.changedMs).slice(0, mostSessions)
    const sessions = new Map<string, OutsideSession>()
    for (const each of newest) {
      const session = await describe(each)
      // One that was taken up again by a newer version has two files.
      if (session && !sessions.has(session.ref)) sessions.set(session.ref, session)
    }
    return [...sessions.values()]
  },

  async readTurns(file, after) {
    const { messages, skipped } = await readChat(file)
    const [afterAt = '', afterId = ''] = after?.split(' ') ?? []
    const all = [...messages.entries()]
    const known = all.findIndex(([id]) => id === afterId)
    const turns = all.flatMap(([, message], index) => {
      const said = saidIn(message)
      // What was rewound is not there any more, so that only the time tells what is new.
      const isNew = known === -1 ? (said?.at ?? '') > afterAt : index > known
      return said && (after === undefined || isNew) ? [said] : []
    })
    const [lastId, last] = all.at(-1) ?? []
    const mark = last ? `${saidAt(last)} ${lastId}` : (after ?? null)
    return { turns: turns.slice(-mostTurns), mark, skipped }
  },
}

async function findFiles(tmp: string): Promise<Found[]> {
  const found: Found[] = []
  for (const project of await readdir(tmp, { withFileTypes: true }).catch(() => [])) {
    if (!project.isDirectory()) continue
    const folder = join(tmp, project.name)
    // Older versions name the folder by a hash, and nobody knows of what.
    const cwd = (await readFile(join(folder, '.project_root'), 'utf8').catch(() => '')).trim()
    if (cwd === '') continue
    for (const name of await readdir(join(folder, 'chats')).catch(() => [])) {
      const file = join(folder, 'chats', name)
      const known = sessionFile.test(name) ? await lstat(file).catch(() => undefined) : undefined
      if (known?.isFile()) found.push({ cwd, file, changedMs: known.mtimeMs })
    }
  }
  return found
}

/** Undefined for a file in which nobody has asked anything. */
async function describe({ cwd, file, changedMs }: Found): Promise<OutsideSession | undefined> {
  const { sessionId, startedAt, updatedAt, summary, messages } = await readChat(file)
  const asked = [...messages.values()].flatMap((message) => {
    const said = saidIn(message)
    return said?.role === 'user' ? [said.text] : []
  })
  if (sessionId === undefined || asked.length === 0) return undefined
  const changedAt = new Date(changedMs).toISOString()
  const title = (summary || asked[0]!).replaceAll(/\s+/g, ' ').trim().slice(0, 100)
  return {
    ref: sessionId,
    cwd,
    title,
    startedAt: startedAt ?? changedAt,
    updatedAt: updatedAt ?? changedAt,
    file,
    turns: asked.length,
  }
}

const saidAt = (message: Record<string, unknown>): string =>
  typeof message['timestamp'] === 'string' ? message['timestamp'] : ''
