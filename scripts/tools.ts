import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What tests need beyond npm, now or soon. .ci/run installs the Debian packages named here. */
export const tools = {
  git: { debian: 'git', purpose: 'workspaces from repositories' },
  tmux: { debian: 'tmux', purpose: 'terminals that outlive their viewers' },
  chromium: { debian: 'chromium', purpose: 'the UI in a real browser' },
  bwrap: { debian: 'bubblewrap', purpose: 'sandboxed workspaces' },
  dockerd: { debian: 'docker.io', purpose: 'container workspaces' },
  ip: { debian: 'iproute2', purpose: 'several machines on one' },
} as const
export type Tool = keyof typeof tools

export const allTools = Object.keys(tools) as Tool[]

export const isMissing = (tool: Tool): boolean => findTool(tool) === undefined

export function findTool(tool: Tool): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.map((folder) => join(folder, tool)).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
