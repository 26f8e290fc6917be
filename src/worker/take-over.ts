import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import type { Principal } from '#contract/access.ts'
import type { KeptTerminal, TakeOver } from '#contract/keeper.ts'
import type { TakenOver } from '#contract/session.ts'
import { findAgent } from '#db/agents.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { DatabasePool } from '#db/pool.ts'
import {
  findSession,
  findSessionsByRef,
  latestExecutionIn,
  liveExecutionIn,
  takenOverSessions,
} from '#db/sessions.ts'
import type { SessionRow } from '#db/sessions.ts'
import { findWorkspace, folderWorkspace } from '#db/workspaces.ts'
import { ownInterface } from '#domain/own-interface.ts'
import { Problem } from '#domain/problem.ts'
import { cancelExecution } from '#flows/cancel-execution.ts'
import { handBackSession } from '#flows/hand-back-session.ts'
import type { HandedBack } from '#flows/hand-back-session.ts'
import { noteTerminal, takeOverSession } from '#flows/take-over-session.ts'
import { KeeperRefused } from './keeper-client.ts'
import { openTurns } from './in-turn.ts'
import type { Keeper, Keepers } from './keepers.ts'
import type { Histories } from './outside-sessions.ts'
import { readyAgent } from './ready-agent.ts'
import type { ReadyWorkspace } from './ready-workspace.ts'
import { historySince, historySoFar } from './taken-history.ts'

/** The sessions of this machine that people have, in the agents' own interfaces. */
export interface TakeOvers {
  /** Asked twice, it is done once. Throws a Problem, and then the session is as it was before. */
  takeOver(sessionId: string, by: Principal): Promise<TakenOver>
  handBack(sessionId: string, by: Principal): Promise<void>
  /** Mends what the rows and these terminals, all that there are, do not agree on. */
  look(terminals: ReadonlyMap<string, KeptTerminal>): Promise<void>
}

interface Needs {
  pool: DatabasePool
  handOver: HandOver
  keepers: Keepers
  histories: Histories
  readyWorkspace: ReadyWorkspace
  config: () => Config
  log: Logger
  machineId: string
}

/** An agent that has not heeded an interrupt by then is ended. */
const interruptMs = 8_000
const cancelMs = 15_000
const startWithinMs = 20_000

const unread = { historyFile: null, historyMark: null }
/** Whoever is inside could make its record a link to anything. */
const withinWalls =
  'What was said meanwhile is not shown here: the agent keeps its record inside the walls of its workspace'

export function openTakeOvers(needs: Needs): TakeOvers {
  const { pool, handOver, keepers, histories, readyWorkspace, config, log, machineId } = needs
  const turns = openTurns()

  const ours = (refs: string[]) => findSessionsByRef(pool.db, refs)

  async function takeOver(sessionId: string, by: Principal): Promise<TakenOver> {
    await pool.transaction((tx) => takeOverSession(tx, by, sessionId))
    try {
      await untilAtRest(sessionId, by)
      const session = await theSession(sessionId)
      const known = (await terminalOf(sessionId))?.terminal
      return known ? attachable(session, known) : await open(session)
    } catch (error) {
      const reason = reasonOf(error)
      await release(sessionId, { by: null, reason, turns: [] })
      throw error instanceof KeeperRefused
        ? new Problem('take_over_failed', `The session could not be taken over: ${reason}`)
        : error
    }
  }

  async function open(session: SessionRow): Promise<TakenOver> {
    const taken = await planned(session)
    const isOutside = taken.asked.workspace.driver === 'folder'
    const soFar = isOutside ? await historySoFar(histories, taken) : unread
    const terminal = await opened(session.id, taken.asked)
    await note(session, terminal, soFar)
    return attachable(session, terminal)
  }

  async function note(
    { id, sessionRef }: SessionRow,
    { tmuxSession }: KeptTerminal,
    soFar: { historyFile: string | null; historyMark: string | null },
  ): Promise<void> {
    await pool.transaction((tx) => noteTerminal(tx, id, { tmuxSession, sessionRef, ...soFar }))
  }

  /** It was interrupted; should that not help, it is ended. */
  async function untilAtRest(sessionId: string, by: Principal): Promise<void> {
    const isAtRest = async (patienceMs: number) => {
      for (const end = Date.now() + patienceMs; Date.now() < end; await wait(100))
        if (!(await liveExecutionIn(pool.db, sessionId))) return true
      return false
    }
    if (await isAtRest(interruptMs)) return
    const live = await liveExecutionIn(pool.db, sessionId)
    if (live) await pool.transaction((tx) => cancelExecution(tx, by, handOver, live))
    if (!(await isAtRest(cancelMs)))
      throw new Problem('take_over_failed', 'The turn under way could not be ended')
  }

  async function theSession(id: string): Promise<SessionRow> {
    const session = await findSession(pool.db, id)
    if (!session) throw new Error(`Session ${id} is gone`)
    return session
  }

  async function planned(session: SessionRow) {
    const agent = session.agentId ? await findAgent(pool.db, session.agentId) : undefined
    const argv = agent && ownInterface(agent, session.sessionRef)
    if (!agent?.binaryPath || !argv)
      throw new Problem('cannot_take_over', 'The agent of this session is gone, or was changed meanwhile')
    const prepared = await readyWorkspace((await workspaceOf(session)).id)
    const ready = await readyAgent(
      {
        db: pool.db,
        machine: { config: config(), env: process.env },
        agent: { ...agent, binaryPath: agent.binaryPath },
        sessionId: session.id,
        isTalkedTo: true,
      },
      prepared,
    )
    const { program, env, cwd } = ready
    const asked: TakeOver = {
      workspace: prepared.spec,
      program,
      argv: [...ready.argv, ...argv],
      env,
      cwd,
      notAfter: Date.now() + startWithinMs,
    }
    return { agent, session, cwd, asked, ours }
  }

  async function workspaceOf(session: SessionRow) {
    return pool.transaction(async (tx) => {
      const id = session.workspaceId ?? (await latestExecutionIn(tx, session.id))?.workspaceId
      const folder = config().allowedWorkingDirs[0] ?? config().home
      return (id && (await findWorkspace(tx, id))) || folderWorkspace(tx, machineId, folder)
    })
  }

  async function opened(sessionId: string, asked: TakeOver): Promise<KeptTerminal> {
    for (let attempt = 1; ; attempt += 1) {
      const keeper = await keepers.forWorkspace(asked.workspace.id)
      try {
        return await keeper.client.takeOver(sessionId, asked)
      } catch (error) {
        // It may be ending in this very moment, for want of work; the next one will do.
        const isUseless =
          !(error instanceof KeeperRefused) || ['shutting_down', 'other_workspace'].includes(error.code)
        if (attempt === 3 || !isUseless) throw error
        keepers.forget(asked.workspace.id)
      }
    }
  }

  async function terminalOf(
    sessionId: string,
  ): Promise<{ keeper: Keeper; terminal: KeptTerminal } | undefined> {
    for (const keeper of await keepers.all()) {
      if (!keeper.isAlive()) continue
      const { terminals } = await keeper.client.greet()
      const terminal = terminals.find((one) => one.sessionId === sessionId)
      if (terminal) return { keeper, terminal }
    }
    return undefined
  }

  /** Ends the terminal, if there still is one, and unlocks the session. */
  async function release(sessionId: string, back: HandedBack): Promise<void> {
    const held = await terminalOf(sessionId)
    await held?.keeper.client.handBack(sessionId)
    await pool.transaction((tx) => handBackSession(tx, sessionId, back))
  }

  async function handBack(sessionId: string, back: Pick<HandedBack, 'by' | 'reason'>): Promise<void> {
    const held = await terminalOf(sessionId)
    if (held && back.by === null) return // it is there after all
    await held?.keeper.client.handBack(sessionId)
    const session = await theSession(sessionId)
    if (!session.takenOverAt) return
    await release(sessionId, { ...back, ...(await whatHappened(session)) })
  }

  async function whatHappened(session: SessionRow): Promise<Omit<HandedBack, 'by' | 'reason'>> {
    try {
      const agent = session.agentId ? await findAgent(pool.db, session.agentId) : undefined
      if (!agent) throw new Error('the agent is gone')
      const { root: cwd, driver } = await workspaceOf(session)
      if (driver !== 'folder') return { turns: [], gap: withinWalls }
      return await historySince(histories, { agent, session, cwd, ours })
    } catch (error) {
      log.warn({ err: error, session: session.id }, 'what was said meanwhile could not be read')
      return { turns: [], gap: `What was said meanwhile could not be read: ${reasonOf(error)}` }
    }
  }

  return {
    takeOver: (sessionId, by) => turns.inTurn(sessionId, () => takeOver(sessionId, by)),
    handBack: (sessionId, by) => turns.inTurn(sessionId, () => handBack(sessionId, { by: by.id })),
    async look(terminals) {
      const taken = await takenOverSessions(pool.db, machineId)
      for (const session of taken) {
        const { id, tmuxSession } = session
        const terminal = terminals.get(id)
        if (turns.has(id) || (terminal && tmuxSession === terminal.tmuxSession)) continue
        // It was opened, and who was to note that died.
        if (terminal)
          await turns.inTurn(id, () => note(session, terminal, { historyFile: null, historyMark: null }))
        if (terminal) continue
        log.info({ session: id }, 'the terminal of a session is gone: it is handed back')
        await turns.inTurn(id, () => handBack(id, { by: null, reason: 'Its terminal is gone' }))
      }
      const ids = new Set(taken.map(({ id }) => id))
      for (const id of terminals.keys())
        if (!ids.has(id) && !turns.has(id))
          await turns.inTurn(id, async () => {
            if (!(await theSession(id)).takenOverAt) await (await terminalOf(id))?.keeper.client.handBack(id)
          })
    },
  }
}

const attachable = ({ sessionRef }: SessionRow, { tmuxSession, attach }: KeptTerminal): TakenOver => ({
  tmuxSession,
  attach,
  sessionRef,
})

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
