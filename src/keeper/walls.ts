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
    const leave = this.#comeIn()
    try {
      const running = await (await this.#enclosure()).start(program, mark)
      void running.exited.then(leave)
      return running
    } catch (error) {
      leave()
      throw error
    }
  }
  async enter(program: Program, mark: string): Promise<Entry> {
    const leave = this.#comeIn()
    try {
      // Inside walls there are other folders and programs than we see.
      if (this.#known().driver === 'folder') refuseMissing(program)
      const entry = await (await this.#enclosure()).enter(program, mark)
      return {
        words: entry.words,
        begun(pid, exited) {
          void exited.catch(() => undefined).then(leave)
          return entry.begun(pid, exited)
        },
        close() {
          leave()
          entry.close()
        },
      }
    } catch (error) {
      leave()
      throw error
    }
  }
  call(tool: ToolName, input: unknown, signal: AbortSignal): Promise<object> {
    return this.#use((tools) => tools.call(tool, input, signal))
  }
  async *stream(input: CommandAsked, signal: AbortSignal): AsyncIterable<CommandPiece> {
    const leave = this.#comeIn()
    try {
      yield* (await this.#tools()).stream(input, signal)
    } finally {
      leave()
    }
  }
  async connect(port: number): Promise<Duplex> {
    refusePort(this.#known(), port)
    return this.#use(async (tools) => {
      const connection = await tools.connect(port)
      connection.once('close', this.#comeIn())
      return connection
    })
  }
  app(action: 'start' | 'stop' | 'restart'): Promise<AppState> {
    return this.#use((tools) => tools.app(action))
  }
  /** Asking how it is is no use of it. */
  async health(): Promise<HostHealth> {
    return (await this.#tools()).health()
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

  /** What is returned says that whoever came in has left. */
  #comeIn(): () => void {
    this.#inside += 1
    let isIn = true
    return () => {
      if (isIn) this.#inside -= 1
      isIn = false
      this.#usedAt = Date.now()
    }
  }

  async #use<Result>(work: (tools: HostTools) => Promise<Result>): Promise<Result> {
    const leave = this.#comeIn()
    try {
      return await work(await this.#tools())
    } finally {
      leave()
    }
  }

  async #tools(): Promise<HostTools> {
    const workspace = this.#known()
    if (workspace.driver === 'folder') return (this.#folder ??= this.#openFolder())
    return this.#boundary(workspace).catch((error: unknown) => {
      throw error instanceof NotStarted ? new ToolRefused('workspace_not_running', error.message) : error
    })
  }

  async #enclosure(): Promise<Enclosure> {
    const workspace = this.#known()
    return workspace.driver === 'folder' ? this.#parts.none : this.#boundary(workspace)
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
  async #boundary(workspace: EnclosedSpec): Promise<Boundary> {
    const decided = this.#deciding.then(() => this.#decide(workspace))
    this.#deciding = decided.catch(() => undefined)
    return (await decided).boundary
  }

  async #decide(workspace: EnclosedSpec): Promise<Standing> {
    const standing = this.#standing
    if (standing && fits(standing.workspace, workspace)) return standing
    // Whoever asks is one.
    if (standing && this.#inside > 1)
      throw new NotStarted(
        'What encloses this workspace has to be put up anew for this agent, and others are at work in it. Try again when they are done.',
      )
    if (standing && !(await this.close(0)))
      throw new NotStarted(
        'What encloses this workspace has to be put up anew, and something in it outlived SIGKILL.',
      )
    this.#usedAt = Date.now()
    const boundary = this.#parts.open[workspace.driver]().then((open) => open(workspace))
    const mine: Standing = { workspace, boundary }
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

/** Whether what stands will do. What may go out and what is added on the way is decided anew for each connection. */
function fits(standing: EnclosedSpec, wanted: EnclosedSpec): boolean {
  const shape = ({ driver, root, homes, image, limits, app }: EnclosedSpec) =>
    JSON.stringify([driver, root, homes, image, limits, app])
  return shape(standing) === shape(wanted) && wanted.mounts.every((mount) => standing.mounts.includes(mount))
}
