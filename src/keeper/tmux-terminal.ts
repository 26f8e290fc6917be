import { createHash, randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Terminal, TerminalEnd } from '#agents/port.ts'
import type { Boundary } from '#boundaries/port.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import type { Pipes } from '#host/pipes.ts'
import { refuseMissing } from '#host/start-program.ts'
import { endMarked } from '#lib/marked-processes.ts'
import { signalProcess } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import { NotStarted } from '#lib/program.ts'
import type { Program } from '#lib/program.ts'
import { beginning, died } from './tmux-begin.ts'
import { terminalOutput } from './tmux-output.ts'
import type { TerminalOutput } from './tmux-output.ts'
import { typing } from './tmux-typing.ts'
import { tmuxAt } from './tmux.ts'
import type { Tmux } from './tmux.ts'

export interface TerminalParts {
  boundary: Boundary
  pipes: Pipes
  /** Private, and with a short path: for the sockets. */
  folder: string
  path: string
  /** Notes a mark of processes that must not outlive us. */
  noteMark: (mark: string) => void
}

/** A terminal that tmux holds, outside the boundary, with the program inside. */
export interface TmuxTerminal extends Terminal {
  /** The command line with which somebody on this machine attaches to it. */
  attach: string
}

const lookMs = 500
const usualGraceMs = 5_000

/**
 * Every terminal has a server of its own, because what runs in it gets the server's environment: there no other user sees
 * it, as they would among the words of a command. Rejects with NotStarted.
 */
export async function openTmuxTerminal(
  { boundary, pipes, folder, path, noteMark }: TerminalParts,
  program: Program,
  mark: string,
  { isRead }: { isRead: boolean },
): Promise<TmuxTerminal> {
  refuseMissing(program)
  const name = `t-${createHash('sha256').update(mark).digest('hex').slice(0, 12)}`
  const socket = join(folder, `${name}.tmux`)
  const serverMark = `tmux:${mark}`
  const tmux = tmuxAt(socket, path)
  const clear = async () => {
    await tmux.ask('kill-server').catch(() => undefined)
    await endMarked(MARK, [serverMark], { graceMs: 1_000 })
    for (const file of [socket, `${socket}.lock`]) rmSync(file, { force: true })
  }
  if (existsSync(socket)) await clear() // of a keeper that is gone
  noteMark(serverMark)
  const output = isRead ? await readable(pipes) : undefined
  const entry = await boundary.enter(program, mark)
  let pids
  try {
    const words = beginning({ name, program, entry, mark: [MARK, mark], copy: output?.command })
    pids = (await tmux.start({ ...program.env, [MARK]: serverMark }, ...words)).trim().split(' ').map(Number)
  } catch (error) {
    entry.close()
    output?.stream.destroy()
    await clear()
    const reason = error instanceof Error ? error.message : String(error)
    throw new NotStarted(`${program.file} could not be started in a terminal: ${reason}`)
  }
  const [server = 0, pid = 0] = pids
  const exited = untilDied(tmux, name)
  const enclosed = await entry.begun(pid, exited)
  const look = watchDeath(pid, server, () => enclosed.end(usualGraceMs))
  void exited.then(() => clearInterval(look))
  return {
    ...enclosed,
    ...typing(tmux, name),
    name,
    attach: `TMUX= tmux -S ${socket} attach -t ${name}`,
    output: output?.stream ?? Readable.from([]),
    exited,
    gone: exited.then(() => output && lastOutput(tmux, name, output)).then(clear),
  }
}

async function readable(pipes: Pipes): Promise<TerminalOutput> {
  const pipe = await pipes.take()
  if (!pipe) throw new NotStarted('There is no pipe to be had for what it writes')
  return terminalOutput(pipe)
}

/**
 * Tmux says that a program has ended once nobody holds its terminal open: what it left there is ended. And now and then tmux
 * does not hear of the end at all, until it is told to look.
 */
function watchDeath(pid: number, server: number, endRest: () => Promise<boolean>): NodeJS.Timeout {
  const [program, tmux] = [identify(pid), identify(server)]
  let looks = 0
  return setInterval(() => {
    if (program && isAlive(program)) return
    if (tmux) signalProcess(tmux, 'SIGCHLD')
    looks += 1
    if (looks === 2) void endRest()
  }, lookMs)
}

async function untilDied(tmux: Tmux, name: string): Promise<TerminalEnd> {
  for (;;) {
    await tmux.heard(died)
    const told = await tmux
      .ask('display-message', '-p', '-t', name, '#{pane_dead},#{pane_dead_status},#{pane_dead_signal}')
      .catch(() => undefined)
    const [isDead, code, signal] = told?.trim().split(',') ?? []
    if (told === undefined)
      return { exitCode: null, signal: null, message: 'Its terminal is gone: tmux was ended', screen: '' }
    if (isDead === '1') {
      // With a little of what has left it: to say that it is dead, tmux has moved everything up.
      const screen = await tmux.ask('capture-pane', '-p', '-S', '-5', '-t', name).catch(() => '')
      return { ...endOf(code, signal), message: null, screen: screen.trim() }
    }
    await wait(100) // somebody ended only what waits
  }
}

function endOf(code = '', signal = ''): { exitCode: number | null; signal: string | null } {
  if (!signal) return { exitCode: code === '' ? null : Number(code), signal: null }
  const known = Object.entries(constants.signals).find(([, number]) => number === Number(signal))
  return { exitCode: null, signal: known?.[0] ?? signal }
}

/** What the program has written may still be with tmux, which tells nobody: so a last word is sent after it. */
async function lastOutput(tmux: Tmux, name: string, output: TerminalOutput): Promise<void> {
  const word = randomUUID()
  output.endWith(word)
  await tmux.ask('respawn-pane', '-t', name, 'printf', '%s', word).catch(() => undefined)
  await finished(output.stream).catch(() => undefined)
}
