import type { Agent } from '#contract/agent.ts'
import type { OutsideTurn } from '#contract/internal.ts'
import type { SessionRow } from '#db/sessions.ts'
import { knownAgent } from '#domain/presets.ts'
import type { HandedBack } from '#flows/hand-back-session.ts'
import { environmentFor } from '#lib/environment.ts'
import type { Histories, HistoryReader } from './outside-sessions.ts'

const mostTurns = 500

interface Taken {
  agent: Agent
  session: SessionRow
  /** By its real path. */
  cwd: string
  /** Which of the agent's sessions are sessions of ours. */
  ours: (refs: string[]) => Promise<Map<string, string>>
}

type Read = Pick<HandedBack, 'turns' | 'gap' | 'sessionRef' | 'historyFile' | 'historyMark'>

/** How far the agent's own record of a session is before a person goes on in it. */
export async function historySoFar(
  histories: Histories,
  taken: Taken,
): Promise<{ historyFile: string | null; historyMark: string | null }> {
  const nothing = { historyFile: null, historyMark: null }
  const reader = readerOf(histories, taken.agent)
  const file = reader && taken.session.sessionRef && (await fileOf(reader, taken))?.file
  if (!reader || !file) return nothing
  return { historyFile: file, historyMark: (await reader.readTurns(file)).mark }
}

/** What was said while a person had the session, by the agent's own record, or why that is not known. */
export async function historySince(histories: Histories, taken: Taken): Promise<Read> {
  const { agent, session } = taken
  const reader = readerOf(histories, agent)
  if (!reader)
    return {
      turns: [],
      gap: `What was said meanwhile is not known here: ${agent.name} keeps no record that can be read`,
    }
  const found = session.historyFile
    ? { file: session.historyFile, ref: session.sessionRef }
    : await fileOf(reader, taken)
  if (!found)
    return {
      turns: [],
      gap: `What was said meanwhile, if anything, is not known here: the record of ${agent.name} has no such session`,
    }
  const read = await reader.readTurns(found.file, session.historyMark ?? undefined)
  const since = session.historyMark === null ? after(read.turns, session.takenOverAt) : read.turns
  const turns = since.slice(-mostTurns)
  const leftOut = since.length - turns.length
  return {
    turns,
    ...(leftOut > 0 && { gap: `${leftOut} earlier messages of what was said meanwhile are left out` }),
    ...(session.sessionRef === null && found.ref !== null && { sessionRef: found.ref }),
    historyFile: found.file,
    historyMark: read.mark ?? session.historyMark,
  }
}

function readerOf(histories: Histories, agent: Agent): HistoryReader | undefined {
  const key = knownAgent(agent)?.key
  return key && histories[key]
}

/** The record of the session; of one that began with the person, the only record that began here since. */
async function fileOf(
  reader: HistoryReader,
  { agent, session, cwd, ours }: Taken,
): Promise<{ file: string; ref: string | null } | undefined> {
  const all = await reader.listSessions(environmentFor(process.env, agent.envAllowlist))
  if (session.sessionRef !== null) return all.find(({ ref }) => ref === session.sessionRef)
  const since = session.takenOverAt?.toISOString() ?? ''
  const begun = all.filter((one) => one.cwd === cwd && one.startedAt >= since)
  const taken = await ours(begun.map(({ ref }) => ref))
  const unknown = begun.filter(({ ref }) => !taken.has(ref))
  return unknown.length === 1 ? unknown[0] : undefined
}

const after = (turns: readonly OutsideTurn[], time: Date | null): OutsideTurn[] =>
  turns.filter(({ at }) => at !== null && time !== null && new Date(at) >= time)
