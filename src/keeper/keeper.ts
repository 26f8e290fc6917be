import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { ProgramAdapter, SessionLaunch } from '#agents/port.ts'
import type { Isolation } from '#contract/keeper.ts'
import { sessionMark } from '#contract/keeper-protocol.ts'
import type { AskShell, KeptExecution, KeptTerminal, Launch, TakeOver } from '#contract/keeper.ts'
import { NotStarted } from '#lib/program.ts'
import type { Pipes } from '#host/pipes.ts'
import { RunningExecution, usualGraceMs } from './execution.ts'
import { Refused } from './refused.ts'
import { SessionAgents } from './session-agents.ts'
import type { SessionAdapters } from './session-agents.ts'
import { openShells } from './shells.ts'
import type { Shells } from './shells.ts'
import { openSpool } from './spool.ts'
import { SessionTerminals } from './take-over.ts'
import { openTmuxTerminal } from './tmux-terminal.ts'
import type { TerminalParts } from './tmux-terminal.ts'
import { programWork, turnWork } from './work.ts'
import type { Work } from './work.ts'
import type { Walls } from './walls.ts'

export interface KeeperParts {
  folder: string
  walls: Walls
  programs: Record<'template' | 'terminal', ProgramAdapter>
  sessions: SessionAdapters
  pipes: Pipes
  /** For sockets: private, and with a short path. */
  runtimeFolder: string
  path: string
  log: (line: string) => void
}

/** An execution with the lease under which it is driven, and those who watch it. */
interface Kept {
  id: string
  sessionId: string
  epoch: number
  execution: RunningExecution
  spoolFile: string
  watchers: Set<Watcher>
}

interface Watcher {
  epoch: number
  onChange(): void
  /** Somebody else drives now. */
  onReplaced(): void
}

/** The executions of one workspace, and who may drive them. */
export class Keeper {
  readonly #parts: KeeperParts
  readonly #kept = new Map<string, Kept>()
  /** An execution is never started twice, however late somebody asks. */
  readonly #released = new Set<string>()
  readonly #agents: SessionAgents
  readonly #terminalParts: TerminalParts
  readonly #terminals: SessionTerminals
  readonly #shells: Shells
  #workspaceId: string | null = null
  #isShuttingDown = false

  constructor(parts: KeeperParts) {
    this.#parts = parts
    const noteMark = (mark: string) => noteMarkIn(parts.folder, mark)
    const markOf = (sessionId: string) => sessionMark(sessionId, basename(parts.folder))
    this.#agents = new SessionAgents({
      ...parts,
      boundary: parts.walls,
      adapters: parts.sessions,
      markOf,
      noteMark,
    })
    this.#terminalParts = { ...parts, boundary: parts.walls, folder: parts.runtimeFolder, noteMark }
    this.#terminals = new SessionTerminals({ ...this.#terminalParts, markOf, firstLookMs: 1_000 })
    this.#shells = openShells({ ...this.#terminalParts, markOf: (id) => `shell:${markOf(id)}` })
  }

  get workspaceId(): string | null {
    return this.#workspaceId
  }

  get isolation(): Isolation {
    return this.#parts.walls.isolation
  }

  /** All that were not released yet. */
  get executions(): KeptExecution[] {
    return [...this.#kept.values()].map(describe)
  }

  /** Agents that live, with or without a turn at present. */
  get agents(): SessionAgents['all'] {
    return this.#agents.all
  }

  /** Sessions that people have. */
  get terminals(): KeptTerminal[] {
    return this.#terminals.all
  }

  /** Of sessions, and of the workspace itself. */
  get shells(): KeptTerminal[] {
    return this.#shells.all
  }

  /** Starts it, once; whoever asks again gets what there is. */
  launch(launch: Launch): KeptExecution {
    const known = this.#kept.get(launch.executionId)
    if (known) return describe(this.#take(known.id, launch.epoch))
    if (this.#released.has(launch.executionId))
      throw new Refused('already_ran', `Execution ${launch.executionId} is over.`)
    this.#accept(launch)
    const kept = this.#keep(launch)
    this.#kept.set(kept.id, kept)
    return describe(kept)
  }

  /** Gives a session to a person: its agent ends, and its own interface is opened in a terminal. */
  takeOver(sessionId: string, asked: TakeOver): Promise<KeptTerminal> {
    this.#accept(asked)
    const isBusy = [...this.#kept.values()].some(
      (kept) => kept.sessionId === sessionId && kept.execution.seen.state !== 'ended',
    )
    if (isBusy) throw new Refused('busy', 'A turn is under way in this session.')
    return this.#terminals.open(sessionId, asked, async () => {
      if (!(await this.#agents.end(sessionId, usualGraceMs)))
        throw new Refused('busy', 'The agent of this session outlived SIGKILL.')
    })
  }

  /** The person's interface is asked to quit, and ends in any case. */
  async handBack(sessionId: string): Promise<void> {
    if (!(await this.#terminals.close(sessionId, usualGraceMs)))
      throw new Refused('busy', 'Something in the terminal of this session outlived SIGKILL.')
  }

  /** The shell of a session, or of the workspace: opened once, however often it is asked for. */
  openShell(id: string, asked: AskShell): Promise<KeptTerminal> {
    this.#accept(asked)
    return this.#shells.open(id, asked)
  }

  async endShell(id: string): Promise<void> {
    if (!(await this.#shells.close(id)))
      throw new Refused('busy', 'Something in this shell outlived SIGKILL.')
  }

  #accept({ notAfter, workspace }: Pick<Launch, 'notAfter' | 'workspace'>): void {
    if (Date.now() > notAfter) throw new Refused('too_late', 'Whoever asked for this has given up by now.')
    if (this.#isShuttingDown) throw new Refused('shutting_down', 'This keeper is ending.')
    this.#workspaceId ??= workspace.id
    if (this.#workspaceId !== workspace.id)
      throw new Refused('other_workspace', `This keeper serves the workspace ${this.#workspaceId}.`)
    this.#parts.walls.use(workspace)
  }

  /** What is in the walls of the workspace, for somebody who names it. */
  inside(asked: Pick<Launch, 'notAfter' | 'workspace'>): Walls {
    this.#accept(asked)
    return this.#parts.walls
  }

  /** A connection to a port of the workspace that is served already. */
  async connect(port: number): Promise<Duplex> {
    if (this.#workspaceId === null) throw new Refused('not_found', 'This keeper serves no workspace yet.')
    if (this.#isShuttingDown) throw new Refused('shutting_down', 'This keeper is ending.')
    return this.#parts.walls.connect(port)
  }

  get walls(): Pick<Walls, 'isOpen' | 'isBusy' | 'inside' | 'usedAt'> {
    return this.#parts.walls
  }

  /** The execution, for somebody who drives it under this epoch. A higher one than before replaces those with a lower. */
  #take(id: string, epoch: number): Kept {
    const kept = this.#kept.get(id)
    if (!kept) throw new Refused('execution_not_found', `This keeper has no execution ${id}.`)
    if (!Number.isSafeInteger(epoch)) throw new Refused('bad_request', 'Say under which epoch.')
    if (epoch < kept.epoch)
      throw new Refused('stale_epoch', `Execution ${id} is driven under epoch ${kept.epoch}, not ${epoch}.`)
    kept.epoch = epoch
    for (const watcher of kept.watchers) if (watcher.epoch < epoch) watcher.onReplaced()
    return kept
  }

  execution(id: string, epoch: number): RunningExecution {
    return this.#take(id, epoch).execution
  }

  /** Until the function that is returned is called. */
  watch(id: string, watcher: Watcher): () => void {
    const { watchers } = this.#take(id, watcher.epoch)
    watchers.add(watcher)
    return () => watchers.delete(watcher)
  }

  /** Forgets an execution whose records were copied. It may be asked for again and again. */
  release(id: string, epoch: number): void {
    if (!this.#kept.has(id)) return
    const kept = this.#take(id, epoch)
    if (kept.execution.seen.state !== 'ended')
      throw new Refused('not_ended', `Execution ${id} is ${kept.execution.seen.state}.`)
    rmSync(kept.spoolFile, { force: true })
    this.#kept.delete(id)
    this.#released.add(id)
  }

  /** Ends every execution and takes no more. Resolves once each is proven dead and its records are in the file. */
  async shutDown(reason: string, graceMs: number): Promise<void> {
    this.#isShuttingDown = true
    const executions = [...this.#kept.values()].map(({ execution }) => execution)
    for (const execution of executions) execution.stop('shutdown', reason, graceMs)
    await Promise.all([
      ...executions.map(({ ended }) => ended),
      this.#agents.endAll(graceMs),
      this.#terminals.endAll(graceMs),
      this.#shells.endAll(),
    ])
    await this.#parts.walls.close(graceMs)
  }

  #keep(launch: Launch): Kept {
    const { folder, log } = this.#parts
    const id = launch.executionId
    const spoolFile = join(folder, `${id}.ndjson`)
    if (existsSync(spoolFile))
      throw new Refused('already_ran', `Execution ${id} was started before, by a keeper that is gone.`)
    // Before anything runs: should we be killed in the next moment, the file says that it may have begun.
    writeFileSync(spoolFile, '', { mode: 0o600 })
    const watchers = new Set<Watcher>()
    const onChange = () => {
      for (const watcher of watchers) watcher.onChange()
    }
    const onError = (error: unknown) => log(`Execution ${id}: ${describeError(error)}`)
    const spool = openSpool(spoolFile, { onGrowth: onChange, onTrouble: onError })
    const begin = () => this.#begin(launch)
    const giveUp = (graceMs: number) => void this.#agents.giveUp(launch.sessionId, graceMs)
    const execution = new RunningExecution(launch, { spool, begin, giveUp, onChange, onError })
    if (holdsSession(launch)) void execution.ended.then(() => this.#agents.leave(launch))
    return { id, sessionId: launch.sessionId, epoch: launch.epoch, execution, spoolFile, watchers }
  }

  async #begin(launch: Launch): Promise<Work> {
    const { walls, programs } = this.#parts
    if (this.#terminals.has(launch.sessionId))
      throw new NotStarted('Somebody has taken the session over: it has to be handed back first')
    if (holdsSession(launch)) {
      const agent = await this.#agents.take(launch)
      return turnWork(agent, launch.turn.prompt, this.#agents.startedFor(launch.sessionId))
    }
    const adapter = launch.adapter === 'terminal' ? programs.terminal : programs.template
    const mark = launch.executionId
    return programWork(
      await adapter.start(launch, {
        start: (program) => walls.start(program, mark),
        openTerminal: (program) => openTmuxTerminal(this.#terminalParts, program, mark, { isRead: true }),
      }),
    )
  }
}

function holdsSession(launch: Launch): launch is SessionLaunch {
  return launch.turn !== undefined && launch.adapter !== 'terminal'
}

function describe({ id, epoch, execution }: Kept): KeptExecution {
  return { id, epoch, ...execution.seen }
}

/** Before anything with it runs: should we be killed in the next moment, whoever looks after us knows what to look for. */
function noteMarkIn(folder: string, mark: string): void {
  appendFileSync(join(folder, 'marks'), `${mark}\n`, { mode: 0o600 })
}

const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
