import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface Tool {
  name: string
  debian: string
  purpose: string
}

/** What tests need beyond npm. .ci/run installs the Debian packages named here. */
export const tools: readonly Tool[] = [
  { name: 'git', debian: 'git', purpose: 'workspaces from repositories' },
  { name: 'tmux', debian: 'tmux', purpose: 'terminals that outlive their viewers' },
  { name: 'chromium', debian: 'chromium', purpose: 'the UI in a real browser' },
  { name: 'bwrap', debian: 'bubblewrap', purpose: 'sandboxed workspaces' },
  { name: 'dockerd', debian: 'docker.io', purpose: 'container workspaces' },
  { name: 'ip', debian: 'iproute2', purpose: 'several machines on one' },
]

export const missingTools = (): Tool[] => tools.filter((tool) => !isInstalled(tool.name))

export function isInstalled(name: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
