import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { ClientHttp2Session } from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHostLink } from '#boundaries/host-link.ts'
import type { HostLink } from '#boundaries/host-link.ts'
import type { TakeDial } from '#boundaries/port.ts'
import { throughHost } from '#boundaries/through-host.ts'
import type { ThroughHost } from '#boundaries/through-host.ts'
import type { HostSetup } from '#contract/host.ts'
import { MARK } from '#contract/keeper-protocol.ts'

const hostileScript = join(import.meta.dirname, 'hostile-host.ts')
const hostScript = join(import.meta.dirname, '../../src/main/host.ts')

export interface TestLine {
  root: string
  link: HostLink
  host: ChildProcess
  session: ClientHttp2Session
  line: ThroughHost
  /** Why it was taken down. */
  takenDown: string[]
  log: string[]
  close(): Promise<void>
}

interface Options {
  setup?: Partial<HostSetup>
  takeDial?: TakeDial
  /** Instead of the host: one that does it harm, in this way. */
  hostile?: string
  patienceMs?: number
  /** In which a program has to have begun. */
  startMs?: number
}

/** A host without walls around it, with the line between it and us. */
export async function openTestLine({
  setup,
  takeDial,
  hostile,
  patienceMs,
  startMs,
}: Options = {}): Promise<TestLine> {
  const base = mkdtempSync(join(tmpdir(), 'host-line-'))
  chmodSync(base, 0o700)
  const [root, scratch, pipes] = [join(base, 'root'), join(base, 'scratch'), join(base, 'pipes')]
  mkdirSync(root)
  const log: string[] = []
  const takenDown: string[] = []
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const link = await openHostLink({
    folder: join(base, 's'),
    owner,
    takeDial: takeDial ?? ((_, connection) => connection.destroy()),
    log: (text) => log.push(text),
  })
  const socket = join(link.socketFolder, 'keeper.sock')
  const usual: HostSetup = {
    root,
    socket,
    markName: MARK,
    rg: '/usr/bin/rg',
    app: null,
    scratch,
    pipes,
    egress: 'none',
    commandRules: [],
    withoutPorts: true,
  }
  const host = spawn(
    process.execPath,
    hostile === undefined ? [hostScript] : [hostileScript, socket, hostile],
    {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', SIGNALBOX_HOST: JSON.stringify({ ...usual, ...setup }) },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  host.stderr?.setEncoding('utf8').on('data', (text: string) => log.push(text))
  const exited = new Promise((resolve) => host.once('exit', resolve))
  const end = async () => {
    host.kill('SIGKILL')
    await exited
  }
  const close = async () => {
    link.close()
    await end()
    rmSync(base, { recursive: true, force: true })
  }
  try {
    const session = await link.connected(patienceMs ?? 20_000)
    const takeDown = async (reason: string) => {
      takenDown.push(reason)
      await end()
      return true
    }
    return {
      root,
      link,
      host,
      session,
      line: throughHost(session, { takeDown, ...(startMs !== undefined && { startMs }) }),
      takenDown,
      log,
      close,
    }
  } catch (error) {
    await close()
    throw new Error([String(error), ...log].join('\n'), { cause: error })
  }
}
