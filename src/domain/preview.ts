import { usualPorts } from '#contract/host.ts'
import type { WorkspaceApp, WorkspaceDriver } from '#contract/workspace.ts'
import { bodyMisfit } from './problem.ts'

/** How long a browser can see an app before it has to be opened anew. */
export const previewLifeMs = 12 * 60 * 60 * 1000

interface Previewed {
  driver: WorkspaceDriver
  app: WorkspaceApp | null
  ports: readonly number[]
}

/** The port that is shown; nothing when it is none of the workspace's. `null` stands for the app's. */
export function previewedPort({ driver, app, ports }: Previewed, port: number | null): number | undefined {
  if (port === null) return app?.port
  const isUsual = driver !== 'folder' && port >= usualPorts.first && port <= usualPorts.last
  return port === app?.port || ports.includes(port) || isUsual ? port : undefined
}

/** Which one somebody means: the app's unless they say, or the only one there is. Throws does_not_fit. */
export function choosePort(workspace: Previewed, wanted: number | undefined): number | null {
  const { app, ports } = workspace
  if (wanted === undefined) {
    if (app) return null
    const [only] = ports
    if (only !== undefined && ports.length === 1) return only
    const help =
      ports.length === 0 ? 'this workspace has neither an app nor ports' : `one of ${ports.join(', ')}`
    throw bodyMisfit('port', `is needed: ${help}`)
  }
  if (wanted === app?.port) return null
  if (previewedPort(workspace, wanted) === undefined)
    throw bodyMisfit('port', `is none of the workspace's: add ${wanted} to its ports first`)
  return wanted
}
