import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Terminal, TerminalEnd } from '#agents/port.ts'
import type { Enclosure } from '#boundaries/port.ts'
import { MARK, tmuxSocketName } from '#contract/keeper-protocol.ts'
import type { Pipes } from '#host/pipes.ts'
import { endMarked } from '#lib/marked-processes.ts'
import { signalProcess } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import { NotStarted } from '#lib/program.ts'
import type { Program } from '#lib/program.ts'
import { beginning } from './tmux-begin.ts'
import { terminalOutput } from './tmux-output.ts'
import type { TerminalOutput } from './tmux-output.ts'
import { typing } from './tmux-typing.ts'
import { tmuxAt } from './tmux.ts'
import type { Tmux } from './tmux.ts'

export interface TerminalParts {
  boundary: Enclosure
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
  /** How many look at it at present. */
  viewers(): Promise<number>
}

const lookMs = 100
/** So often in a row tmux is asked how a program has ended that is gone. */
const mostLooks = 20

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
  const name = `t-${createHash('sha256').update(mark).digest('hex').slice(0, 12)}`
  const socket = join(folder, tmuxSocketName(name))
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
  const exited = untilDied(tmux, name, pids)
  const enclosed = await entry.begun(pids[1] ?? 0, exited)
  return {
    ...enclosed,
    ...typing(tmux, name),
    name,
    attach: `TMUX= tmux -S ${socket} attach -t ${name}`,
    async viewers() {
      return (await tmux.ask('list-clients', '-F', '1')).split('\n').filter(Boolean).length
    },
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

/** When the program has ended, or its terminal. Tmux says how; now and then it has to be told to look. */
async function untilDied(tmux: Tmux, name: string, [server, program]: number[]): Promise<TerminalEnd> {
  const both = [identify(server ?? 0), identify(program ?? 0)]
  while (both.every((one) => one && isAlive(one))) await wait(lookMs)
  for (let looks = 0; ; looks += 1) {
    const found = await paneOf(tmux, name)
    if (!found)
      return { exitCode: null, signal: null, message: 'Its terminal is gone: tmux was ended', screen: '' }
    const { isOver, code, signal } = found
    // What is on its way to the screen may still come, but need not: others can hold the terminal open.
    if ((isOver && (code || signal)) || looks === mostLooks) {
      // With a little of what has left it: to say that it is dead, tmux has moved everything up.
      const screen = await tmux.ask('capture-pane', '-p', '-S', '-5', '-t', name).catch(() => '')
      return { ...endOf(code, signal), message: null, screen: screen.trim() }
    }
    if (both[0]) signalProcess(both[0], 'SIGCHLD')
    await wait(50)
  }
}

interface Pane {
  /** The program has ended, and all that it wrote was passed on. */
  isOver: boolean
  code: string
  signal: string
}

async function paneOf(tmux: Tmux, name: string): Promise<Pane | undefined> {
  const format = '#{pane_dead},#{pane_dead_status},#{pane_dead_signal}'
  const told = await tmux.ask('display-message', '-p', '-t', name, format).catch(() => undefined)
  const [isDead, code = '', signal = ''] = told?.trim().split(',') ?? []
  return isDead === undefined ? undefined : { isOver: isDead === '1', code, signal }
}

function endOf(code = '', signal = ''): { exitCode: number | null; signal: string | null } {
  if (!signal) return { exitCode: code === '' ? null : Number(code), signal: null }
  const known = Object.entries(constants.signals).find(([, number]) => number === Number(signal))
  return { exitCode: null, signal: known?.[0] ?? signal }
}

/** What the program has written may still be with tmux, for as long as nobody takes it. */
async function lastOutput(tmux: Tmux, name: string, { stream }: TerminalOutput): Promise<void> {
  let isClosed = false
  const closed = finished(stream)
    .catch(() => undefined)
    .finally(() => (isClosed = true))
  while (!isClosed && (await paneOf(tmux, name))?.isOver === false) await Promise.race([closed, wait(lookMs)])
  await tmux.ask('pipe-pane', '-t', name).catch(() => undefined) // closes it
  await closed
}
