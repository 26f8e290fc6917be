import type { Duplex } from 'node:stream'
import type { Boundary, Enclosure, Entry, HostTools, OpenBoundary } from '#boundaries/port.ts'
import type { AppState, HostHealth } from '#contract/host.ts'
import type { Isolation } from '#contract/keeper.ts'
import type { CommandAsked, CommandPiece, ToolName } from '#contract/workspace-tool.ts'
import type { EnclosedSpec, FolderSpec, WorkspaceSpec } from '#contract/workspace.ts'
import { refuseMissing } from '#host/start-program.ts'
import { NotStarted } from '#lib/program.ts'
import type { EnclosedProgram, Program } from '#lib/program.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { refusePort } from './allowed-port.ts'
import { fitOf, othersAtWork } from './fitting-walls.ts'
import type { Work } from './fitting-walls.ts'

export interface WallParts {
  /** For a folder: what keeps its programs together, although there are no walls. */
  none: Enclosure
  /** Loaded when it is first needed, as the others are. */
  openFolder(workspace: () => FolderSpec): Promise<HostTools & { close(): Promise<void> }>
  open: Record<EnclosedSpec['driver'], () => Promise<OpenBoundary>>
  log: (line: string) => void
}

interface Standing {
  workspace: EnclosedSpec
  boundary: Promise<Boundary>
  /** How many are in these walls; nobody takes them down meanwhile. */
  inside: number
}

/** Whoever only looks, or speaks with what is there, is served by any walls that stand. */
type Errand = 'look' | Work

interface Visit {
  /** The walls that it has got into, where there are any. */
  standing?: Standing
  leave: () => void
}

/** The walls of one workspace: put up when they are first needed, and again when they have come down. */
export class Walls implements Enclosure, HostTools {
  readonly #parts: WallParts
  #workspace: WorkspaceSpec | undefined
  #standing: Standing | undefined
  #folder: ReturnType<WallParts['openFolder']> | undefined
  /** Programs, calls of tools and connections that are in here, or on their way. */
  #inside = 0
  #usedAt: number | null = null
  #deciding: Promise<unknown> = Promise.resolve()

  constructor(parts: WallParts) {
    this.#parts = parts
  }

  get isolation(): Isolation {
    const driver = this.#workspace?.driver ?? 'folder'
    if (driver === 'folder') return this.#parts.none.isolation
    return driver === 'docker' ? 'container' : 'sandbox'
  }
  get isOpen(): boolean {
    return this.#workspace?.driver === 'folder' || this.#standing !== undefined
  }
  /** When somebody last used it: now, while something runs in it or a tool is under way. */
  get usedAt(): number | null {
    if (this.isBusy) this.#usedAt = Date.now()
    return this.#usedAt
  }
  get isBusy(): boolean {
    return this.#inside > 0
  }
  /** How many programs, calls and connections there are: agents that wait for their next turn too. */
  get inside(): number {
    return this.#inside
  }
  get workspace(): WorkspaceSpec | undefined {
    return this.#workspace
  }

  /** The one with walls, as it is wanted at present. Throws where there are none. */
  get enclosed(): EnclosedSpec {
    const workspace = this.#known()
    if (workspace.driver === 'folder') throw new Error('This workspace has no walls')
    return workspace
  }

  /** What is asked from now on is for this one. Walls that would have to be others are put up anew once nothing is inside. */
  use(workspace: WorkspaceSpec): void {
    this.#workspace = workspace
  }

  async start(program: Program, mark: string): Promise<EnclosedProgram> {
    const visit = this.#comeIn()
    try {
      const running = await (await this.#enclosure(visit)).start(program, mark)
      void running.exited.then(visit.leave)
      return running
    } catch (error) {
      visit.leave()
      throw error
    }
  }
  async enter(program: Program, mark: string): Promise<Entry> {
    const visit = this.#comeIn()
    try {
      // Inside walls there are other folders and programs than we see.
      if (this.#known().driver === 'folder') refuseMissing(program)
      const entry = await (await this.#enclosure(visit)).enter(program, mark)
      return {
        words: entry.words,
        begun(pid, exited) {
          void exited.catch(() => undefined).then(visit.leave)
          return entry.begun(pid, exited)
        },
        close() {
          visit.leave()
          entry.close()
        },
      }
    } catch (error) {
      visit.leave()
      throw error
    }
  }
  call(tool: ToolName, input: unknown, signal: AbortSignal): Promise<object> {
    return this.#use('tool', (tools) => tools.call(tool, input, signal))
  }
  async *stream(input: CommandAsked, signal: AbortSignal): AsyncIterable<CommandPiece> {
    const visit = this.#comeIn()
    try {
      yield* (await this.#tools('tool', visit)).stream(input, signal)
    } finally {
      visit.leave()
    }
  }
  async connect(port: number): Promise<Duplex> {
    refusePort(this.#known(), port)
    const visit = this.#comeIn()
    try {
      const connection = await (await this.#tools('look', visit)).connect(port)
      if (connection.closed) visit.leave()
      else connection.once('close', visit.leave)
      return connection
    } catch (error) {
      visit.leave()
      throw error
    }
  }
  app(action: 'start' | 'stop' | 'restart'): Promise<AppState> {
    return this.#use(action === 'stop' ? 'look' : 'app', (tools) => tools.app(action))
  }
  /** Asking how it is is no use of it, and changes nothing that stands. */
  async health(): Promise<HostHealth> {
    return (await this.#tools('look')).health()
  }

  /** False when something outlived SIGKILL. */
  async close(graceMs: number): Promise<boolean> {
    const standing = this.#standing
    this.#standing = undefined
    const folder = this.#folder
    this.#folder = undefined
    await (await folder?.catch(() => undefined))?.close()
    const boundary = await standing?.boundary.catch(() => undefined)
    return boundary ? boundary.close(graceMs) : true
  }

  #comeIn(): Visit {
    this.#inside += 1
    let isIn = true
    const visit: Visit = {
      leave: () => {
        this.#usedAt = Date.now()
        if (!isIn) return
        isIn = false
        this.#inside -= 1
        if (visit.standing) visit.standing.inside -= 1
      },
    }
    return visit
  }

  async #use<Result>(errand: Errand, work: (tools: HostTools) => Promise<Result>): Promise<Result> {
    const visit = this.#comeIn()
    try {
      return await work(await this.#tools(errand, visit))
    } finally {
      visit.leave()
    }
  }

  async #tools(errand: Errand, visit?: Visit): Promise<HostTools> {
    const workspace = this.#known()
    if (workspace.driver === 'folder') return (this.#folder ??= this.#openFolder())
    return this.#boundary(workspace, errand, visit).catch((error: unknown) => {
      throw error instanceof NotStarted ? new ToolRefused('workspace_not_running', error.message) : error
    })
  }

  async #enclosure(visit: Visit): Promise<Enclosure> {
    const workspace = this.#known()
    return workspace.driver === 'folder' ? this.#parts.none : this.#boundary(workspace, 'program', visit)
  }

  async #openFolder(): ReturnType<WallParts['openFolder']> {
    try {
      return await this.#parts.openFolder(() => this.#folderSpec())
    } catch (error) {
      this.#folder = undefined // the next one may be luckier
      throw error
    }
  }

  #folderSpec(): FolderSpec {
    const workspace = this.#known()
    if (workspace.driver !== 'folder') throw new Error('This workspace is no folder')
    return workspace
  }

  #known(): WorkspaceSpec {
    if (!this.#workspace) throw new Error('Nobody has said yet which workspace this is')
    return this.#workspace
  }

  /** One after the other: whoever comes while walls are taken down gets the ones that follow. */
  async #boundary(workspace: EnclosedSpec, errand: Errand, visit?: Visit): Promise<Boundary> {
    const decided = this.#deciding.then(async () => {
      const standing = await this.#decide(workspace, errand)
      if (visit) {
        visit.standing = standing
        standing.inside += 1
      }
      return standing
    })
    this.#deciding = decided.catch(() => undefined)
    return (await decided).boundary
  }

  async #decide(workspace: EnclosedSpec, errand: Errand): Promise<Standing> {
    const standing = this.#standing
    if (standing) {
      if (errand === 'look') return standing
      const fit = fitOf(standing.workspace, workspace, errand)
      const isOccupied = standing.inside > 0
      if (fit === 'yes' || (fit === 'for now' && isOccupied)) return standing
      if (isOccupied) throw new NotStarted(othersAtWork[errand])
      if (!(await this.close(0)))
        throw new NotStarted(
          'What encloses this workspace has to be put up anew, and something in it outlived SIGKILL.',
        )
    }
    this.#usedAt = Date.now()
    const boundary = this.#parts.open[workspace.driver]().then((open) => open(workspace))
    const mine: Standing = { workspace, boundary, inside: 0 }
    this.#standing = mine
    const watch = async () => {
      try {
        const reason = await (await boundary).gone
        this.#parts.log(`The walls have come down: ${reason}`)
      } catch {
        // they were never up, and whoever asked hears why
      }
      if (this.#standing === mine) this.#standing = undefined
    }
    void watch()
    return mine
  }
}
