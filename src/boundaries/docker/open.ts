import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { ClientHttp2Session } from 'node:http2'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { inside } from '#contract/host.ts'
import type { HostSetup } from '#contract/host.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'
import { insideOwner } from '#lib/inside-owner.ts'
import { NotStarted } from '#lib/program.ts'
import { openHostLink } from '../host-link.ts'
import type { HostLink } from '../host-link.ts'
import type { Boundary, OpenBoundary, TakeDial } from '../port.ts'
import { removeScratch } from '../remove-scratch.ts'
import { throughHost } from '../through-host.ts'
import { engineAddress } from './address.ts'
import { containerFor } from './container.ts'
import { openEngine } from './engine.ts'
import { enterContainer } from './enter.ts'
import { askFacts } from './facts.ts'
import { openContainer } from './open-container.ts'
import type { Container } from './open-container.ts'
import { explainRefusal } from './refusals.ts'
import { tellOoms } from './tell-ooms.ts'

export interface DockerParts {
  /** The folder with host.mjs, and rg: what is at /opt/signalbox inside. */
  hostRuntime: string
  /** A private folder with a short path. */
  socketParent: string
  /** Of the variable that marks processes. */
  markName: string
  takeDial: TakeDial
  /** Whose containers these are: the home, and the keeper. */
  labels: { home: string; keeper: string }
  log: (line: string) => void
}

const readyMs = 30_000
const lastMs = 2_000

/** A workspace in a container. Rejects with NotStarted, and nothing is left of it then. */
export const dockerBoundary =
  (parts: DockerParts): OpenBoundary =>
  (workspace) =>
    putUp(parts, workspace).catch((error: unknown) => {
      throw explainRefusal(error, workspace)
    })

async function putUp(parts: DockerParts, workspace: EnclosedSpec): Promise<Boundary> {
  if (process.platform !== 'linux')
    throw new NotStarted(
      'Containers can be used where the engine runs on the same Linux machine; this is another system. Use a folder instead.',
    )
  if (!workspace.image)
    throw new NotStarted('No image is named for this workspace: name one, or set WORKSPACE_IMAGE.')
  const { hostRuntime, socketParent, markName, takeDial, labels, log } = parts
  const engine = openEngine(engineAddress())
  const facts = await askFacts(engine)
  const owner = insideOwner()
  const name = `signalbox-${workspace.id.slice(-12)}-${randomBytes(4).toString('hex')}`
  const link = await openHostLink({ folder: join(socketParent, `h-${name.slice(-8)}`), owner, takeDial, log })
  const body = containerFor(workspace, {
    image: workspace.image,
    hostRuntime,
    socketFolder: link.socketFolder,
    owner,
    labels,
    setup: setupOf(workspace, parts),
    facts,
  })
  try {
    const container = await openContainer(engine, name, body)
    const session = await hostIn(container, link)
    const takeDown = (reason: string) => container.takeDown(reason)
    const host = throughHost(session, { takeDown })
    return {
      isolation: 'container',
      ...tellOoms(host, container, workspace.limits.memoryMb),
      enter: enterContainer({ engine, name, user: body.User, markName, session, takeDown }),
      ...livesOf(container, link, workspace.homes),
    }
  } catch (error) {
    link.close()
    throw error
  }
}

/** Its host, once it has dialled. When it does not, the container is taken down. */
async function hostIn(container: Container, link: HostLink): Promise<ClientHttp2Session> {
  const early = container.early.then((reason) => Promise.reject(reason))
  try {
    const session = await Promise.race([link.connected(readyMs), early])
    container.settle()
    return session
  } catch (error) {
    await container.takeDown('it did not come up')
    throw error
  }
}

function livesOf(container: Container, link: HostLink, homes: string): Pick<Boundary, 'gone' | 'close'> {
  const gone = Promise.withResolvers<string>()
  let isClosed = false
  void container.dead
    .then((reason) => (isClosed ? undefined : gone.resolve(reason)))
    .finally(() => link.close())
  // Without its host a container ends by itself, and the engine knows better why.
  const last = () => Promise.race([container.dead, wait(lastMs, undefined, { ref: false })])
  void link.lost.then((reason) => last().then(() => container.takeDown(reason)))
  return {
    gone: gone.promise,
    async close() {
      isClosed = true
      const isDead = await container.takeDown('it was closed')
      if (isDead) await removeScratch(homes)
      return isDead
    },
  }
}

const setupOf = (
  { app, egress, commandRules }: EnclosedSpec,
  { markName, hostRuntime }: DockerParts,
): HostSetup => ({
  root: inside.root,
  socket: inside.socket,
  markName,
  rg: existsSync(join(hostRuntime, 'rg')) ? `${inside.runtime}/rg` : null,
  app,
  scratch: inside.scratch,
  pipes: inside.pipes,
  egress,
  commandRules,
})
