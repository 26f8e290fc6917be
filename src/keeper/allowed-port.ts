import { usualPorts } from '#contract/host.ts'
import type { WorkspaceSpec } from '#contract/workspace.ts'
import { ToolRefused } from '#lib/tool-refused.ts'

/** Throws unless this port is one that somebody may be brought to. */
export function refusePort({ driver, app, ports }: WorkspaceSpec, port: number): void {
  const isNamed = port === app?.port || (ports ?? []).includes(port)
  const isUsual = driver !== 'folder' && port >= usualPorts.first && port <= usualPorts.last
  if (!isNamed && !isUsual)
    throw new ToolRefused(
      'port_not_allowed',
      `Port ${port} is none of this workspace's: add it to its ports, and try again.`,
    )
}
