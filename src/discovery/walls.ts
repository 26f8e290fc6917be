import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { insideOwner } from '#lib/inside-owner.ts'
import { withoutInherited } from '#lib/inherited.ts'
import { onPath } from '#lib/on-path.ts'
import { endGroup, signalProcess } from '#lib/process-end.ts'
import { identify } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { NotStarted } from '#lib/program.ts'
import { descriptors, insideHome, wallWords } from './wall-words.ts'

/** What whoever opens the walls has to bring, since it is made elsewhere. */
export interface WallParts {
  /** Where bubblewrap is looked for. */
  path: string
  /** What bubblewrap's --seccomp reads; without one nothing is run. */
  seccomp: Buffer | undefined
  /** Folders that are never shown, though they may lie in one that is. */
  hidden?: readonly string[]
  /** Holds processes to a share of the machine, as far as that is possible here. */
  hold?: () => { take(pids: readonly number[]): void; close(): Promise<void> }
  limitMs?: number
}

export interface Said {
  stdout: string
  stderr: string
  exitCode: number | null
  /** By itself, because its time was over, or because it said too much. */
  ended: 'itself' | 'late' | 'flood'
}

export interface Walls {
  /**
   * Runs a program without network, home, terminal, input or rights, over files that it cannot change, and ends it with all
   * that came of it. Rejects with NotStarted when the walls cannot be had; the program has not run then.
   */
  run(file: string, argv: readonly string[], signal?: AbortSignal): Promise<Said>
  /** Ends what runs. */
  close(): Promise<void>
}

const setUpMs = 10_000
export const mostSaid = 262_144

export function openWalls(parts: WallParts): Walls {
  const running = new Map<ChildProcess, Promise<unknown>>()
  let isClosed = false

  async function run(file: string, argv: readonly string[], signal?: AbortSignal): Promise<Said> {
    signal?.throwIfAborted()
    if (isClosed) throw new NotStarted('Discovery is closed.')
    const { command, args, seccomp } = prepare(parts, file, argv)
    const handed = withoutInherited(['ignore' as const, ...Array.from({ length: 5 }, () => 'pipe' as const)])
    const child = spawn(command, args, { cwd: '/', env: environment, detached: true, stdio: handed.stdio })
    handed.close()
    const life = follow(child, { ...parts, seccomp }, signal)
    running.set(child, life)
    return life.finally(() => running.delete(child))
  }

  return {
    run,
    async close() {
      isClosed = true
      for (const child of running.keys()) child.kill('SIGKILL')
      await Promise.allSettled(running.values())
    },
  }
}

/** Wide, without colours, without a pager: what is said is to be read by a program. */
const environment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: insideHome,
  USER: 'agent',
  LANG: 'C.UTF-8',
  TMPDIR: '/tmp',
  TERM: 'dumb',
  NO_COLOR: '1',
  COLUMNS: '200',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  MANWIDTH: '200',
}

function prepare(parts: WallParts, file: string, argv: readonly string[]) {
  const { path, seccomp, hidden = [] } = parts
  const bwrap = onPath('bwrap', path)
  const unwalled = 'so it was not run: programs are only run inside walls.'
  if (process.platform !== 'linux') throw new NotStarted(`Bubblewrap is for Linux, ${unwalled}`)
  if (!bwrap) throw new NotStarted(`Bubblewrap is not installed, ${unwalled} Install the package bubblewrap.`)
  if (!seccomp) throw new NotStarted(`There is no filter of system calls for this machine, ${unwalled}`)
  const setpriv = onPath('setpriv', path)
  const isRoot = process.getuid?.() === 0
  if (isRoot && !setpriv)
    throw new NotStarted(`The program setpriv is missing, ${unwalled} Install the package util-linux.`)
  const drop = isRoot && setpriv ? { setpriv, ...insideOwner() } : undefined
  const args = wallWords({ file, argv, hidden, drop, prlimit: onPath('prlimit', path) })
  return { command: bwrap, args, seccomp }
}

async function follow(
  child: ChildProcess,
  { seccomp, hold, limitMs = 2_000 }: WallParts & { seccomp: Buffer },
  signal: AbortSignal | undefined,
): Promise<Said> {
  let ended: Said['ended'] = 'itself'
  let first: ProcessIdentity | undefined
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) =>
      reject(new NotStarted(`Bubblewrap could not be started: ${error.message}`)),
    )
    child.once('close', (code) => resolve(code))
  })
  closed.catch(() => undefined)
  // Its death is that of all inside, as the first of them takes the others along. That one is told to die with its parent only
  // once the walls stand: before that it is still of bubblewrap's group, and would wait for ever.
  child.once('exit', () => {
    endGroup(child.pid!)
    if (first) signalProcess(first, 'SIGKILL')
  })
  const end = (why: Said['ended']) => {
    if (ended === 'itself') ended = why
    child.kill('SIGKILL')
  }
  const [stdout, stderr] = [
    listen(child.stdout!, () => end('flood')),
    listen(child.stderr!, () => end('flood')),
  ]
  pipeTo(child, descriptors.seccomp).end(seccomp)
  const begin = pipeTo(child, descriptors.block)
  const abort = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', abort)
  const held = hold?.()
  let timer = setTimeout(() => child.kill('SIGKILL'), setUpMs)
  try {
    const init = await Promise.race([
      firstPid(child.stdio[descriptors.status] as Readable),
      closed.then(() => undefined),
    ])
    signal?.throwIfAborted()
    first = init === undefined ? undefined : identify(init)
    if (!first) throw new NotStarted(complaint(await closed.then(() => stderr())))
    try {
      held?.take([first.pid])
    } catch (error) {
      // Mostly it has ended meanwhile, and says why.
      child.kill('SIGKILL')
      throw new NotStarted(complaint(await closed.then(() => stderr())), { cause: error })
    }
    clearTimeout(timer)
    timer = setTimeout(() => end('late'), limitMs)
    begin.end('\n')
    const exitCode = await closed
    signal?.throwIfAborted()
    // It is bubblewrap that speaks, and not the program, when something of the walls fails late.
    if (exitCode === 1 && stdout() === '' && /^bwrap: (?!execvp)/.test(stderr()))
      throw new NotStarted(complaint(stderr()))
    return { stdout: stdout(), stderr: stderr(), exitCode: ended === 'itself' ? exitCode : null, ended }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    child.kill('SIGKILL')
    await closed.catch(() => undefined)
    await held?.close()
  }
}

/** Of all that is said only so much is kept, and then nothing more is heard. */
function listen(stream: Readable, onFlood: () => void): () => string {
  const pieces: Buffer[] = []
  let size = 0
  stream.on('data', (piece: Buffer) => {
    pieces.push(piece.subarray(0, mostSaid - size))
    size += piece.length
    if (size <= mostSaid) return
    stream.destroy()
    onFlood()
  })
  stream.on('error', () => undefined)
  return () => Buffer.concat(pieces).toString('utf8')
}

function pipeTo(child: ChildProcess, descriptor: number): Writable {
  const pipe = child.stdio[descriptor] as Writable
  pipe.on('error', () => undefined) // it ended before it read this, and says why
  return pipe
}

function firstPid(status: Readable): Promise<number> {
  return new Promise((resolve) => {
    let text = ''
    status.setEncoding('utf8').on('data', (piece: string) => {
      if (text.length < 4_096) text += piece
      const [, pid] = /"child-pid":\s*(\d+)\D/.exec(text) ?? []
      if (pid) resolve(Number(pid))
    })
  })
}

function complaint(words: string): string {
  const [line = ''] = words.trim().split('\n')
  return `The walls could not be put up, so it was not run: ${line || 'bubblewrap ended at once'}. Signalbox's doctor says what bubblewrap needs here.`
}
