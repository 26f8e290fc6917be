import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { InsideOwner } from '#lib/inside-owner.ts'

export interface ToolCall {
  /** The program and its arguments. No shell reads any of it. */
  words: readonly string[]
  cwd: string
  /** All of it. */
  env: Readonly<Record<string, string>>
  /** Whose rights it has; else ours. */
  owner?: InsideOwner | undefined
  timeoutMs: number
}

export interface RunningTool {
  stdin: Writable
  stdout: Readable
  /** Never rejects. */
  ended: Promise<ToolEnd>
  kill(): void
}

export interface ToolEnd {
  /** Null when it was killed, or could not be started. */
  code: number | null
  /** The end of what it complained about. */
  stderr: string
  isLate: boolean
}

const longestComplaint = 64 * 1024

/** Starts it in a group of its own and without a terminal, so that it cannot ask anybody, and is ended with all it started. */
export function startTool({ words, cwd, env, owner, timeoutMs }: ToolCall): RunningTool {
  const [file = '', ...argv] = words
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn(file, argv, {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(owner && owner.uid !== process.getuid?.() ? { uid: owner.uid, gid: owner.gid } : {}),
  })
  const kill = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // it has ended
    }
  }
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, timeoutMs)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-longestComplaint)
  })
  child.stdin.on('error', () => {}) // it did not want to hear the rest
  const ended = once(child, 'close').then(
    ([code]: (number | null)[]) => ({ code: code ?? null, stderr, isLate }),
    (error: unknown) => ({ code: null, stderr: messageOf(error), isLate }),
  )
  void ended.then(() => clearTimeout(timer))
  return { stdin: child.stdin, stdout: child.stdout, ended, kill }
}

export interface ToolResult extends ToolEnd {
  stdout: Buffer
  /** There was more than was kept; the tool was ended. */
  isCut: boolean
}

/** Runs it to its end and keeps what it says, up to `maxBytes`. */
export async function runTool(
  call: ToolCall & { input?: string | Buffer | undefined; maxBytes: number },
): Promise<ToolResult> {
  const tool = startTool(call)
  const pieces: Buffer[] = []
  let bytes = 0
  let isCut = false
  tool.stdout.on('data', (piece: Buffer) => {
    pieces.push(piece)
    bytes += piece.length
    if (bytes <= call.maxBytes || isCut) return
    isCut = true
    tool.kill()
  })
  tool.stdin.end(call.input ?? '')
  const end = await tool.ended
  return { ...end, stdout: Buffer.concat(pieces).subarray(0, call.maxBytes), isCut }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
