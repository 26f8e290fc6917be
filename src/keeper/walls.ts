import type { Duplex } from 'node:stream'
import type { Boundary, Enclosure, Entry, HostTools, OpenBoundary } from '#boundaries/port.ts'
import type { AppState, HostHealth } from '#contract/host.ts'
import type { Isolation } from '#contract/keeper.ts'
import type { CommandAsked, CommandPiece, ToolName } from '#contract/workspace-tool.ts'
import type { EnclosedSpec, FolderSpec, WorkspaceSpec } from '#contract/workspace.ts'
import { NotStarted } from '#lib/program.ts'
import type { EnclosedProgram, Program } from '#lib/program.ts'
import { ToolRefused } from '#lib/tool-refused.ts'

export interface WallParts {
  /** For a folder: what keeps its programs together, although there are no walls. */
  none: Enclosure
  openFolder(workspace: FolderSpec): HostTools & { close(): Promise<void> }
  /** Loaded when they are first needed. */
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
  #programs = 0
  #usedAt: number | null = null

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
  /** When somebody last used it by its tools. */
  get usedAt(): number | null {
    return this.#usedAt
  }
  get workspace(): WorkspaceSpec | undefined {
    return this.#workspace
  }

  /** What is asked from now on is for this one. Walls that would have to be others are put up anew once nothing is inside. */
  use(workspace: WorkspaceSpec): void {
    this.#workspace = workspace
  }

  async start(program: Program, mark: string): Promise<EnclosedProgram> {
    const running = await (await this.#enclosure()).start(program, mark)
    this.#programs += 1
    void running.exited.then(() => (this.#programs -= 1))
    return running
  }
  async enter(program: Program, mark: string): Promise<Entry> {
    return (await this.#enclosure()).enter(program, mark)
  }
  async call(tool: ToolName, input: unknown, signal: AbortSignal): Promise<object> {
    return (await this.#tools()).call(tool, input, signal)
  }
  async *stream(input: CommandAsked, signal: AbortSignal): AsyncIterable<CommandPiece> {
    yield* (await this.#tools()).stream(input, signal)
  }
  async connect(port: number): Promise<Duplex> {
    return (await this.#tools()).connect(port)
  }
  async health(): Promise<HostHealth> {
    return (await this.#tools()).health()
  }
  async app(action: 'start' | 'stop' | 'restart'): Promise<AppState> {
    return (await this.#tools()).app(action)
  }

  /** False when something outlived SIGKILL. */
  async close(graceMs: number): Promise<boolean> {
    const standing = this.#standing
    this.#standing = undefined
    await this.#folder?.close()
    this.#folder = undefined
    const boundary = await standing?.boundary.catch(() => undefined)
    return boundary ? boundary.close(graceMs) : true
  }

  async #tools(): Promise<HostTools> {
    this.#usedAt = Date.now()
    const workspace = this.#known()
    if (workspace.driver === 'folder') return (this.#folder ??= this.#parts.openFolder(workspace))
    return this.#boundary(workspace).catch((error: unknown) => {
      throw error instanceof NotStarted ? new ToolRefused('workspace_not_running', error.message) : error
    })
  }

  async #enclosure(): Promise<Enclosure> {
    const workspace = this.#known()
    return workspace.driver === 'folder' ? this.#parts.none : this.#boundary(workspace)
  }

  #known(): WorkspaceSpec {
    if (!this.#workspace) throw new Error('Nobody has said yet which workspace this is')
    return this.#workspace
  }

  async #boundary(workspace: EnclosedSpec): Promise<Boundary> {
    const standing = this.#standing
    if (standing && fits(standing.workspace, workspace)) return standing.boundary
    if (standing && this.#programs > 0)
      throw new NotStarted(
        'What encloses this workspace has to be put up anew for this agent, and others are at work in it. Try again when they are done.',
      )
    if (standing) await this.close(0)
    const boundary = this.#parts.open[workspace.driver]().then((open) => open(workspace))
    const mine: Standing = { workspace, boundary }
    this.#standing = mine
    const forget = () => {
      if (this.#standing === mine) this.#standing = undefined
    }
    boundary
      .then((opened) => opened.gone)
      .then(
        (reason) => {
          this.#parts.log(`The walls have come down: ${reason}`)
          forget()
        },
        () => forget(),
      )
    return boundary
  }
}

/** Whether what stands will do. What may go out and what is added on the way is decided anew for each connection. */
function fits(standing: EnclosedSpec, wanted: EnclosedSpec): boolean {
  const shape = ({ driver, root, homes, image, limits, app }: EnclosedSpec) =>
    JSON.stringify([driver, root, homes, image, limits, app])
  return shape(standing) === shape(wanted) && wanted.mounts.every((mount) => standing.mounts.includes(mount))
}
