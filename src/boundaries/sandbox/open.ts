import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { inside } from '#contract/host.ts'
import type { HostSetup } from '#contract/host.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import { onPath } from '#lib/on-path.ts'
import { childrenOf, parentOf, pidInside } from '#lib/process-stat.ts'
import { NotStarted } from '#lib/program.ts'
import { openHostLink } from '../host-link.ts'
import type { HostLink } from '../host-link.ts'
import type { Boundary, OpenBoundary, TakeDial } from '../port.ts'
import { removeScratch } from '../remove-scratch.ts'
import { throughHost } from '../through-host.ts'
import { enclose } from './enclose.ts'
import type { Enclosed } from './enclose.ts'
import { openEntrance } from './enter.ts'
import type { Entrance } from './enter.ts'
import { openLimits } from './limits.ts'
import type { Held } from './limits.ts'
import { planSandbox } from './words.ts'
import type { SandboxTools } from './words.ts'

export interface SandboxParts {
  /** The folder with node, host.mjs and rg: what is at /opt/signalbox inside. */
  hostRuntime: string
  /** A private folder with a short path. */
  socketParent: string
  /** Of the variable that marks processes. */
  markName: string
  /** Where bubblewrap is looked for. */
  path: string
  takeDial: TakeDial
  log: (line: string) => void
}

const readyMs = 30_000
const hostCommand = [`${inside.runtime}/node`, '--max-semi-space-size=1', `${inside.runtime}/host.mjs`]
/** Ours last: the machine's own Node is the one that people expect. */
export const insidePath = `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${inside.runtime}`

/** A workspace in walls of bubblewrap. Rejects with NotStarted, and nothing is left of it then. */
export const sandboxBoundary =
  (parts: SandboxParts): OpenBoundary =>
  async (workspace) => {
    const owner = insideOwner()
    const { takeDial, log, socketParent, hostRuntime } = parts
    const tools = findTools(parts.path)
    const link = await openHostLink({
      folder: join(socketParent, `h-${randomBytes(4).toString('hex')}`),
      owner,
      takeDial,
      log,
    })
    const limits = openLimits(workspace.limits)
    for (const { what, why } of limits.lacks) log(`This sandbox has no ${what}: ${why}`)
    try {
      const plan = planSandbox(workspace, { tools, owner, hostRuntime, socketFolder: link.socketFolder })
      const enclosed = await enclose(plan.putUp(hostCommand), environmentOf(workspace, parts.markName), owner)
      const holder = parentOf(enclosed.init.pid)
      const entrance = openEntrance({ plan, holder, owner, limits, folder: link.socketFolder })
      return await putUp({ enclosed, link, limits, entrance, homes: workspace.homes })
    } catch (error) {
      link.close()
      await limits.close()
      throw error
    }
  }

interface Standing {
  enclosed: Enclosed
  link: HostLink
  limits: Held
  entrance: Entrance
  homes: string
}

async function putUp({ enclosed, link, limits, entrance, homes }: Standing): Promise<Boundary> {
  enclosed.stdout.resume()
  const gone = Promise.withResolvers<string>()
  let isClosed = false
  const early = enclosed.dead.then((words) => {
    throw new NotStarted(`The sandbox ended before it was ready: ${words.split('\n', 1)[0]}`)
  })
  early.catch(() => undefined)

  async function takeDown(): Promise<boolean> {
    isClosed = true
    const areDead = await Promise.all([enclosed.kill(), entrance.endAll()])
    link.close()
    await limits.close()
    return areDead.every(Boolean)
  }
  let down: Promise<boolean> | undefined
  const takeDownOnce = () => (down ??= takeDown())

  try {
    limits.take([enclosed.init.pid])
    enclosed.begin()
    const session = await Promise.race([link.connected(readyMs), early])
    const tell = (reason: string) => {
      if (!isClosed) gone.resolve(reason)
      void takeDownOnce()
    }
    void enclosed.dead.then(() => tell('everything in it has ended, or was killed'))
    void link.lost.then(tell)
    const line = throughHost(session, {
      takeDown(reason) {
        gone.resolve(reason)
        return takeDownOnce()
      },
    })
    return {
      isolation: 'sandbox',
      ...line,
      async start(program, mark) {
        const running = await line.start(program, mark)
        return { ...running, pid: pidOutside(enclosed.init.pid, running.pid) }
      },
      enter: (program, mark) => entrance.enter(program, mark),
      gone: gone.promise,
      async close() {
        const isDead = await takeDownOnce()
        if (isDead) await removeScratch(homes)
        return isDead
      },
    }
  } catch (error) {
    await takeDownOnce()
    throw error
  }
}

/** What the machine calls the process that has this pid inside. The host's word alone would be a number of somebody else's. */
function pidOutside(init: number, pid: number): number {
  const todo = [init]
  for (const one of todo) {
    if (pidInside(one) === pid) return one
    todo.push(...childrenOf(one))
  }
  return init
}

/** Throws NotStarted. */
export function findTools(path: string): SandboxTools {
  const bwrap = onPath('bwrap', path)
  if (!bwrap) throw new NotStarted('bubblewrap is not installed: install the package bubblewrap.')
  return { bwrap, setpriv: onPath('setpriv', path), nsenter: onPath('nsenter', path) }
}

function environmentOf(
  { app, egress, commandRules }: EnclosedSpec,
  markName: string,
): Record<string, string> {
  const setup: HostSetup = {
    root: inside.root,
    socket: inside.socket,
    markName,
    rg: `${inside.runtime}/rg`,
    app,
    scratch: inside.scratch,
    pipes: inside.pipes,
    egress,
    commandRules,
  }
  return {
    PATH: insidePath,
    HOME: inside.homes,
    USER: 'agent',
    LANG: 'C.UTF-8',
    TMPDIR: '/tmp',
    SIGNALBOX_HOST: JSON.stringify(setup),
  }
}
