// What an agent's program has written down of its own sessions, whoever began them. Readers only read, and only files.

/** A session in an agent's own history. */
export interface OutsideSession {
  /** What the agent calls it: with this it can be resumed. */
  ref: string
  /** Where it worked. */
  cwd: string
  title: string
  /** ISO times. */
  startedAt: string
  updatedAt: string
  file: string
  /** How often somebody has asked something. */
  turns: number
}

export interface OutsideTurn {
  role: 'user' | 'assistant'
  text: string
  at: string | null
}

export interface OutsideTurns {
  turns: OutsideTurn[]
  /** How far it was read: given as `after`, only what came later is told. Null when there is nothing. */
  mark: string | null
  /** Lines that could not be understood. */
  skipped: number
}

/** One for each agent whose history is in plain files. */
export interface HistoryReader {
  /** Newest first. A missing folder is an empty list. `env` is what the agent is passed: HOME, and where its folder is if not there. */
  listSessions(env: Readonly<Record<string, string>>): Promise<OutsideSession[]>
  /** In order. Only what people and the agent said: no tools, no instructions that nobody wrote. */
  readTurns(file: string, after?: string): Promise<OutsideTurns>
}
