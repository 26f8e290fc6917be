import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Enclosure, HostTools } from '#boundaries/port.ts'
import { HOST_PROTOCOL } from '#contract/host.ts'
import type { FolderSpec } from '#contract/workspace.ts'
import { connectInside } from '#host/connect-inside.ts'
import { keepApp } from '#host/kept-app.ts'
import { openTools } from '#host/open-tools.ts'

export interface FolderParts {
  enclosure: Pick<Enclosure, 'start'>
  rg: string | null
  /** A private folder, outside the workspace. */
  scratch: string
  path: string
  /** Noted of processes that must not outlive us. */
  noteMark: (mark: string) => void
  /** What the processes of the app carry. */
  appMark: string
}

/** The tools of a folder of this machine, in our own process: there are no walls, so keeper and host are one. */
export function openFolderTools(
  workspace: () => FolderSpec,
  { enclosure, rg, scratch, path, noteMark, appMark }: FolderParts,
): HostTools & { close(): Promise<void> } {
  const { root } = workspace()
  mkdirSync(scratch, { recursive: true, mode: 0o700 })
  const always = { PATH: path, HOME: homedir(), LANG: 'C.UTF-8' }
  const commandRules = () => workspace().commandRules ?? []
  const start: Enclosure['start'] = (program, mark) => {
    noteMark(mark)
    return enclosure.start(program, mark)
  }
  // Read each time that something starts: the workspace may have got other ports.
  const hands = {
    start,
    get env() {
      return { ...workspace().env, ...always }
    },
  }
  const tools = openTools(Object.assign(hands, { root, rg, scratch, commandRules }))
  const app = keepApp(() => workspace().app ?? null, Object.assign(hands, { mark: appMark, cwd: root }))
  return {
    call: (tool, input, signal) => tools.call(tool, input, signal),
    stream: (input, signal) => tools.stream(input, signal),
    connect: (port) => connectInside(port),
    app: (action) => app.act(action),
    health: () =>
      Promise.resolve({
        status: 'ok',
        protocol: HOST_PROTOCOL,
        pid: process.pid,
        node: process.version,
        uptimeMs: Math.round(process.uptime() * 1000),
        programs: 0,
        app: app.state(),
      }),
    async close() {
      await app.act('stop')
      await tools.close()
    },
  }
}
