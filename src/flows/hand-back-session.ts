import type { OutsideTurn } from '#contract/internal.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { findSession, updateSession } from '#db/sessions.ts'
import { importedEvents } from '#domain/imported-turns.ts'

/** What became of a session while a person had it. */
export interface HandedBack {
  /** Who said so; null when its terminal was gone. */
  by: string | null
  /** Why, when nobody said so. */
  reason?: string
  turns: readonly OutsideTurn[]
  /** One line: why what happened meanwhile is not told here. */
  gap?: string | undefined
  /** What the agent calls the session now, when it had no name for it before. */
  sessionRef?: string
  historyFile?: string | null
  historyMark?: string | null
}

/** Unlocks a session. What was said meanwhile becomes part of its log, or the log says that it is missing. Twice is once. */
export async function handBackSession(tx: Tx, id: string, back: HandedBack): Promise<void> {
  await lockStream(tx, id)
  const session = await findSession(tx, id)
  if (!session?.takenOverAt) return
  const { by, reason, turns, gap, sessionRef, historyFile, historyMark } = back
  const payload = {
    state: 'ended',
    by,
    turns: turns.length,
    ...(reason !== undefined && { reason }),
    ...(gap !== undefined && { gap }),
  }
  await appendEvents(tx, id, [...importedEvents(turns), { type: 'data-takeover', payload }])
  await updateSession(tx, id, {
    takenOverAt: null,
    takenOverBy: null,
    tmuxSession: null,
    ...(sessionRef !== undefined && { sessionRef, facts: { ...session.facts, sessionRef } }),
    ...(historyFile !== undefined && { historyFile }),
    ...(historyMark !== undefined && { historyMark }),
  })
}
