import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { homedir } from 'node:os'
import { isAbsolute } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { SourceConfig } from '#contract/source.ts'
import { environmentFor } from '#lib/environment.ts'
import { hasCode } from '#lib/error-code.ts'
import { newId } from '#lib/id.ts'
import { onPath } from '#lib/on-path.ts'
import { ownSecretsOf } from '#lib/own-secrets.ts'
import { identify } from '#lib/process-identity.ts'
import { signalProcess } from '#lib/process-end.ts'
import { CallFailed } from '../port.ts'
import type { Ears } from './awaited.ts'
import { longestMessage, tooLongUnread } from './limits.ts'
import { readMessages } from './message-lines.ts'
import { howItEnded } from './last-words.ts'
import { endProgram, programMark, sourcesMark } from './strays.ts'

const keptWords = 4_096
/** How long a program has to end by itself when its input ends; then it is asked to. */
const leaveMs = 1_000

export interface StdioTransport extends Transport {
  /** By these two the SDK knows a program; what it says on its standard error is not passed on. */
  readonly pid: number | undefined
  readonly stderr: null
  /** Why it is gone, if it is: how it ended and what it said last on its standard error. */
  gone: () => string | undefined
}

type Program = Pick<SourceConfig, 'command' | 'args' | 'cwd' | 'env'>

/** Starts a program without a shell, and speaks with it line by line. With it ends everything that it has started. */
export function stdioTransport(program: Program, home: string, ears: Ears): StdioTransport {
  const mark = newId()
  let child: ChildProcessWithoutNullStreams | undefined
  let words = ''
  const secrets = ownSecretsOf(program)
  let ending: string | undefined
  let reaped: Promise<unknown> | undefined
  /** Also those that have left its group and its parent. */
  const reap = (): Promise<unknown> => (reaped ??= endProgram(mark))

  const transport: StdioTransport = {
    stderr: null,
    get pid() {
      return child?.pid
    },
    gone: () => ending,
    async start() {
      const environment = { ...environmentFor(process.env, []), ...program.env }
      const command = programAt(program.command ?? '', environment['PATH'] ?? '')
      const marks = { [sourcesMark]: home, [programMark]: mark }
      child = spawn(command, program.args, {
        cwd: program.cwd ?? homedir(),
        env: { ...environment, ...marks },
        detached: true,
      })
      watch(child)
      await started(child, program)
    },
    async send(message) {
      if (!child?.stdin.writable || ending !== undefined)
        throw new CallFailed('source_failed', 'It has ended')
      if (child.stdin.writableLength > longestMessage)
        throw new CallFailed('source_failed', 'It does not read what it is told', { isUnsent: true })
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      if (!child) return
      const exited = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit')
      child.stdin.end()
      if (exited) await Promise.race([exited, wait(leaveMs, undefined, { ref: false })])
      await reap()
      if (process.platform !== 'linux') endGroup(child)
      child.stdout.destroy()
      child.stderr.destroy()
      end('it was stopped')
    },
  }

  function watch(running: ChildProcessWithoutNullStreams): void {
    running.stdin.on('error', () => {})
    running.stderr.on('data', (bytes: Buffer) => {
      words += bytes.toString('utf8')
      // Before it is cut: half a secret is not known any more.
      if (words.length > 2 * keptWords) words = secrets.hide(words).slice(-keptWords)
    })
    running.stderr.on('error', () => {})
    readMessages(running.stdout, {
      take: (message: JSONRPCMessage) => transport.onmessage?.(message),
      noise: ears.onNoise,
      noAnswer: ears.isNone,
      tooLong: (id) => void (ears.isTooLong(id) || ears.onNoise(tooLongUnread)),
      endless: () => {
        transport.onerror?.(new CallFailed('source_unavailable', endedByLength))
        end(endedByLength)
        void transport.close()
      },
    })
    running.on('exit', (code, signal) => {
      // What it said last may still be on its way, and somebody it left behind may hold the pipe open.
      const told = () => end(howItEnded(code, signal, secrets.hide(words).slice(-keptWords)))
      const late = setTimeout(told, 500)
      running.once('close', () => {
        clearTimeout(late)
        told()
      })
      void reap()
    })
  }

  function end(why: string): void {
    if (ending !== undefined) return
    ending = why
    transport.onclose?.()
  }
  return transport
}

function programAt(command: string, path: string): string {
  if (isAbsolute(command)) return command
  const found = command.includes('/') ? undefined : onPath(command, path)
  if (found) return found
  const reason = command.includes('/') ? 'give its whole path' : 'it is not in a folder of PATH'
  throw new CallFailed('source_unavailable', `There is no program ${command}: ${reason}`, { isUnsent: true })
}

async function started(child: ChildProcessWithoutNullStreams, program: Program): Promise<void> {
  try {
    await once(child, 'spawn')
  } catch (error) {
    const name = program.command
    const why = hasCode(error, 'ENOENT')
      ? `${name} or its folder ${program.cwd ?? ''} does not exist`
      : hasCode(error, 'EACCES')
        ? `${name} may not be run`
        : error instanceof Error
          ? error.message
          : String(error)
    throw new CallFailed('source_unavailable', `It could not be started: ${why}`, { isUnsent: true })
  }
}

/** Told to those whose answers it had not carried yet. */
const endedByLength =
  'The connection was ended, because a message on it was too long to be read. What this call has done by then is not known'

function endGroup(child: ChildProcessWithoutNullStreams): void {
  const identity = child.pid === undefined ? undefined : identify(child.pid)
  if (identity) signalProcess(identity, 'SIGKILL', { group: true })
}
