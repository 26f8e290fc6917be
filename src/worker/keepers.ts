import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { MARK, shownAgain } from '#contract/keeper-protocol.ts'
import type { Greeting, KeeperRecord } from '#contract/keeper.ts'
import { hasCode } from '#lib/error-code.ts'
import { newId } from '#lib/id.ts'
import { isLinksFolder, keeperSocket, linksFolder } from '#lib/keeper-places.ts'
import { endMarked } from '#lib/marked-processes.ts'
import { isAlive } from '#lib/process-identity.ts'
import { worktreesOf } from './check-paths.ts'
import { keeperAt } from './keeper-client.ts'
import type { KeeperClient } from './keeper-client.ts'
import { readKeeperRecord } from './keeper-record.ts'

/** One keeper, as its folder tells of it. */
export interface Keeper {
  id: string
  folder: string
  /** Undefined while it is not up yet, or never was. */
  record: KeeperRecord | undefined
  client: KeeperClient
  isAlive(): boolean
}

/** The keepers of this home. They outlive us, so the truth about them is on disk. */
export interface Keepers {
  all(): Promise<Keeper[]>
  find(id: string): Promise<Keeper | undefined>
  /** The one that serves this workspace, or a spare one that will. */
  forWorkspace(workspaceId: string): Promise<Keeper>
  /** Remembers which workspace a living one serves. */
  note(workspaceId: string, keeper: Keeper): void
  /** The one that served it does not take anything new any more. Of `keeper`, unless another one serves it already. */
  forget(workspaceId: string, keeper?: Keeper): void
  isSpare(id: string): boolean
  /** The only workspace that this one can serve, as far as we know: it keeps to its first one all its life. */
  workspaceOf(id: string): string | undefined
  /** The workspaces that a living one serves, as far as we know. */
  serving(): string[]
  /** One of which nothing is left. */
  absent(id: string): Keeper
  /** Resolves when the first spare is up, or cannot be had. */
  readonly prepared: Promise<unknown>
  /** What keeps the processes of one execution together here, as a keeper found out; null until one has. */
  isolation(): Greeting['isolation'] | null
  /** Removes what a dead one left behind. */
  bury(keeper: Keeper): Promise<void>
  /** Starts no more spares. */
  close(): Promise<void>
}

export interface KeeperRuntime {
  node: string
  script: string
}

interface Needs {
  home: string
  runtimeFolder: string
  runtime: KeeperRuntime
  log: Logger
}

/** Measured: with these an idle keeper takes the least without being slow under load. */
const nodeFlags = ['--max-semi-space-size=1']
/** Large buffers go back to the system when they are done with: half the memory after a long log. */
const keeperEnvironment = { MALLOC_MMAP_THRESHOLD_: '49152' }
/** Where the Docker engine is. */
const engineVariables = ['DOCKER_HOST', 'XDG_RUNTIME_DIR']
const upWithinMs = 15_000
/** A keeper that has nothing to do and hears of no worker for this long ends itself. */
const selfEndMs = 600_000

export function openKeepers({ home, runtimeFolder, runtime, log }: Needs): Keepers {
  const root = join(home, 'keepers')
  const ofWorkspace = new Map<string, Keeper>()
  const workspaceOf = new Map<string, string>()
  const starting = new Map<string, Promise<Keeper>>()
  let spare: Promise<Keeper | undefined> | undefined
  let spareId: string | undefined
  const newborn = new Set<string>()
  let isolation: Greeting['isolation'] | null = null
  let closed = false

  const socketOf = (id: string) => keeperSocket(runtimeFolder, id)

  const read = async (id: string) => known(id, await readKeeperRecord(join(root, id)))

  function known(id: string, found: KeeperRecord | 'unreadable' | undefined): Keeper {
    const record = found === 'unreadable' ? undefined : found
    return {
      id,
      folder: join(root, id),
      record,
      client: keeperAt(record?.socket ?? socketOf(id)),
      isAlive: () => found === 'unreadable' || (record !== undefined && isAlive(record.identity)),
    }
  }

  async function start(): Promise<Keeper> {
    const id = newId()
    newborn.add(id)
    const folder = join(root, id)
    let said: number | undefined
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      said = openSync(join(folder, 'keeper.log'), 'a', 0o600)
      // Keys, the database's door and the sockets of all keepers: agents have no business there.
      const worktrees = worktreesOf(home)
      await mkdir(worktrees, { recursive: true, mode: 0o700 })
      const hidden = [home, runtimeFolder, shownAgain(worktrees)]
      const words = [runtime.script, folder, socketOf(id), String(selfEndMs), ...hidden]
      const child = spawn(runtime.node, [...nodeFlags, ...words], {
        cwd: folder,
        detached: true,
        env: { ...keeperEnvironment, ...passedOn(), PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
        stdio: ['ignore', said, said],
      })
      child.unref()
      return await untilUp(id, child)
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    } finally {
      newborn.delete(id)
      if (said !== undefined) closeSync(said)
    }
  }

  async function untilUp(id: string, child: ReturnType<typeof spawn>): Promise<Keeper> {
    let ended: string | undefined
    child.once('error', (error) => (ended = error.message))
    child.once('exit', (code, signal) => (ended ??= `it ended with ${signal ?? code}`))
    for (const late = Date.now() + upWithinMs; ended === undefined; await wait(5)) {
      const keeper = await read(id)
      if (keeper.record) return keeper
      if (Date.now() > late) ended = 'it did not answer in time'
    }
    child.kill('SIGKILL')
    const words = await readFile(join(root, id, 'keeper.log'), 'utf8').catch(() => '')
    throw new Error(
      `A keeper could not be started: ${[ended, words.trim().slice(-500)].filter(Boolean).join(': ')}`,
    )
  }

  function noteIsolation(found: Greeting['isolation']): void {
    if (found === 'process-group' && isolation === null)
      log.warn(
        'bubblewrap cannot be used here: agents can read what you can, and hide processes (signalbox doctor)',
      )
    isolation = found
  }

  function prepareSpare(): Promise<Keeper | undefined> {
    const begun = startSpare().then((keeper) => {
      if (keeper && spare === begun) spareId = keeper.id
      return keeper
    })
    return begun
  }

  async function startSpare(): Promise<Keeper | undefined> {
    try {
      const keeper = await start()
      noteIsolation((await keeper.client.greet()).isolation)
      return keeper
    } catch (error) {
      log.warn({ err: error }, 'no spare keeper could be started')
      return undefined
    }
  }

  /** In one step: who comes next while it is still coming up gets another one. */
  async function takeSpare(): Promise<Keeper> {
    const mine = spare
    spare = undefined
    spareId = undefined
    const ready = await mine
    return ready?.isAlive() ? ready : start()
  }

  function note(workspaceId: string, keeper: Keeper): void {
    ofWorkspace.set(workspaceId, keeper)
    workspaceOf.set(keeper.id, workspaceId)
  }

  async function assign(workspaceId: string): Promise<Keeper> {
    const keeper = await takeSpare()
    note(workspaceId, keeper)
    setImmediate(() => {
      if (!closed) spare ??= prepareSpare()
    })
    return keeper
  }

  async function all(): Promise<Keeper[]> {
    const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return []
      throw error
    })
    return Promise.all(entries.filter((entry) => entry.isDirectory()).map(({ name }) => read(name)))
  }

  /** What was left by keepers of which nothing else is left. Looked for first: a keeper has none before it is up. */
  async function removeStrayLinks(): Promise<void> {
    const found = (await readdir(runtimeFolder)).filter(isLinksFolder)
    const living = (await all()).filter((keeper) => keeper.isAlive())
    const kept = new Set(living.map(({ id }) => linksFolder(runtimeFolder, id)))
    for (const folder of found.map((name) => join(runtimeFolder, name)))
      if (!kept.has(folder)) await rm(folder, { recursive: true, force: true })
  }

  const cleared = removeStrayLinks().catch((error: unknown) =>
    log.warn({ err: error }, 'what killed keepers have left could not be removed'),
  )
  spare = prepareSpare()
  return {
    prepared: Promise.all([spare, cleared]),
    all,
    async find(id) {
      const keeper = await read(id)
      return keeper.record || keeper.isAlive() ? keeper : undefined
    },
    forWorkspace(workspaceId) {
      const known = ofWorkspace.get(workspaceId)
      if (known?.isAlive()) return Promise.resolve(known)
      ofWorkspace.delete(workspaceId)
      const begun =
        starting.get(workspaceId) ?? assign(workspaceId).finally(() => starting.delete(workspaceId))
      starting.set(workspaceId, begun)
      return begun
    },
    note,
    forget(workspaceId, keeper) {
      if (!keeper || ofWorkspace.get(workspaceId)?.id === keeper.id) ofWorkspace.delete(workspaceId)
    },
    isSpare: (id) => id === spareId,
    workspaceOf: (id) => workspaceOf.get(id),
    serving: () => [...ofWorkspace].filter(([, keeper]) => keeper.isAlive()).map(([id]) => id),
    absent: (id) => known(id, undefined),
    isolation: () => isolation,
    async bury(keeper) {
      // It may have come up since it was looked at.
      if (newborn.has(keeper.id) || (await read(keeper.id)).isAlive()) return
      // Agents that it held between two turns belong to no execution, so nobody else looks for them.
      const marks = await readFile(join(keeper.folder, 'marks'), 'utf8').catch(() => '')
      await endMarked(MARK, marks.split('\n').filter(Boolean), { graceMs: 0 })
      await rm(keeper.folder, { recursive: true, force: true })
      workspaceOf.delete(keeper.id)
      await rm(keeper.record?.socket ?? socketOf(keeper.id), { force: true })
      await rm(linksFolder(runtimeFolder, keeper.id), { recursive: true, force: true })
    },
    async close() {
      closed = true
      const last = await spare
      await last?.client
        .shutdown({ reason: 'not needed', graceMs: 0, unlessBusy: true })
        .catch(() => undefined)
    },
  }
}

const passedOn = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    engineVariables.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  )
