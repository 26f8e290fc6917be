import { execFile } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import type { ReadStream } from 'node:tty'
import { spawn } from '@lydell/node-pty'
import { SCROLLBACK_LINES, VIEWERS_SESSION } from '#contract/keeper-protocol.ts'
import { Problem } from '#domain/problem.ts'
import { onPath } from '#lib/on-path.ts'
import { openFilter } from './filter.ts'
import type { Reader, Size, Source } from './port.ts'
import { openInput } from './tmux-input.ts'
import { openMeter } from './tmux-meter.ts'

const patienceMs = 5_000
/** A machine that has much to do takes its time; what is given up is lost. */
const pastePatienceMs = 60_000
/** A key that no keyboard has. Taken by tmux it wakes whoever waits for it, and no program is told. */
const barrier = '\x1b[5399~'
const barrierKeys = [
  ['set-option', '-s', 'user-keys[0]', barrier, ';'],
  // What comes fast would be taken for a paste, in which no key means anything.
  ['set-option', '-g', 'assume-paste-time', '0', ';'],
  ['bind-key', '-T', 'root', 'User0', 'run-shell -C "wait-for -S typed-#{client_pid}"', ';'],
].flat()
const mostScrollback = 16 * 1024 * 1024

interface Place {
  /** Of the terminal's tmux. */
  socket: string
  path: string
  readOnly: boolean
}

/**
 * A client of tmux for one viewer alone, on a terminal of its own: tmux repaints for it when it comes, and goes on without it when it is
 * slow. What left the screen before it came is told first. Rejects with a Problem.
 */
export async function openTmuxClient(
  { socket, path, readOnly }: Place,
  { cols, rows }: Size,
  reader: Reader,
): Promise<Source> {
  const tmux = onPath('tmux', path)
  if (tmux === undefined)
    throw new Problem('terminal_unavailable', 'tmux is not installed on this machine: apt install tmux')
  const server = ['-S', socket, '-f', '/dev/null']
  const env = { PATH: path, LANG: 'C.UTF-8', LC_CTYPE: 'C.UTF-8' }
  const ask = (words: readonly string[], input: Buffer = Buffer.alloc(0), timeout = patienceMs) =>
    new Promise<Buffer>((resolve, reject) => {
      const options = { env, timeout, maxBuffer: mostScrollback, encoding: 'buffer' as const }
      const child = execFile(tmux, [...server, ...words], options, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      )
      child.stdin?.on('error', () => undefined) // told by its end
      child.stdin?.end(input)
    })
  const range = ['-S', `-${SCROLLBACK_LINES}`, '-E', '-1', '-t', VIEWERS_SESSION]
  const asked = [
    ...(readOnly ? [] : barrierKeys),
    'display-message',
    '-p',
    '-t',
    VIEWERS_SESSION,
    '#{pid} #{history_size}',
    ';',
    'capture-pane',
    '-p',
    '-e',
    ...range,
  ]
  // It is as good without; that a terminal is gone is told below.
  const { serverPid, scrolledAway } = answerOf(await ask(asked).catch(() => Buffer.alloc(0)))

  const flags = readOnly ? ['-f', 'read-only,ignore-size'] : []
  const pty = spawn(tmux, [...server, 'attach-session', '-t', VIEWERS_SESSION, ...flags], {
    name: 'xterm-256color',
    cols,
    rows,
    env,
    cwd: '/',
    encoding: null,
  })
  // Its own `write` tells nobody when to wait.
  const { _socket: stream } = pty as unknown as { _socket: ReadStream }
  const filter = openFilter()
  const meter = openMeter(serverPid)
  let isClosed = false
  let size = { cols, rows }

  const isThere = Promise.withResolvers<void>()
  if (scrolledAway.length > 0) reader.take(asHistory(scrolledAway, rows))
  pty.onData((data) => {
    const bytes = data as unknown as Buffer
    isThere.resolve()
    meter.drawn(bytes.length)
    if (isClosed) return
    const kept = filter(bytes)
    if (kept.length > 0) reader.take(kept)
  })
  pty.onExit(() => {
    if (!isClosed) reader.ended()
    isClosed = true
    meter.close()
    isThere.resolve()
  })
  const typed = `typed-${pty.pid}`
  const input = openInput({
    keys: stream,
    barrier,
    meter,
    drained: () => reader.drained(),
    refused: (bytes) => reader.refused(bytes),
    async paste(bytes, isBehindBarrier) {
      // One that never comes holds up nobody for long.
      if (isBehindBarrier) await ask(['wait-for', typed]).catch(() => undefined)
      const given = ['paste-buffer', '-d', '-r', '-b', typed, '-t', VIEWERS_SESSION]
      // Where it cannot be given any more the terminal is gone, which is told by its end.
      await ask(['load-buffer', '-b', typed, '-', ';', ...given], bytes, pastePatienceMs).catch(
        () => undefined,
      )
    },
  })

  // Until it draws it does not have the keyboard: what is typed before that is lost, or changed.
  await Promise.race([isThere.promise, wait(patienceMs, undefined, { ref: false })])
  return {
    write(bytes) {
      return isClosed || readOnly || input.write(bytes)
    },
    resize(now) {
      if (isClosed || (now.cols === size.cols && now.rows === size.rows)) return
      size = now
      pty.resize(now.cols, now.rows)
    },
    repaint() {
      const { ptsName } = pty as unknown as { ptsName: string }
      if (!isClosed) void ask(['refresh-client', '-t', ptsName]).catch(() => undefined)
    },
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    close() {
      if (isClosed) return
      isClosed = true
      input.close()
      // Whoever is paused would never be told that it is over.
      pty.resume()
      pty.kill('SIGHUP')
    },
  }
}

/** Tmux says first who it is and how many lines there are: where there are none it answers with the first line of the screen. */
function answerOf(answer: Buffer): { serverPid: number; scrolledAway: Buffer } {
  const end = answer.indexOf('\n')
  const [serverPid = 0, lines = 0] = answer.subarray(0, Math.max(end, 0)).toString().split(' ').map(Number)
  return { serverPid, scrolledAway: lines > 0 ? answer.subarray(end + 1) : Buffer.alloc(0) }
}

/** Lines that a terminal scrolls away before the first screen is painted over them. */
function asHistory(lines: Buffer, rows: number): Buffer {
  const text = lines.toString('latin1').replaceAll('\n', '\x1b[0m\r\n')
  return openFilter({ onlyColours: true })(Buffer.from(`${text}${'\r\n'.repeat(rows - 1)}`, 'latin1'))
}
