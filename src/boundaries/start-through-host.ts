import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2'
import { PassThrough, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { ProgramFrame } from '#contract/host.ts'
import type { ProgramAsked } from '#contract/host.ts'
import { frame, framesOf } from '#lib/framed-bytes.ts'
import type { Frame } from '#lib/framed-bytes.ts'
import { NotStarted } from '#lib/program.ts'
import type { EnclosedProgram, Program, ProgramEnd } from '#lib/program.ts'
import { askHost, streamHost } from './ask-host.ts'

const longestFrame = 1 << 20
/** Beyond the grace: for killing, and for looking whether all are dead. */
const endMs = 20_000
const lastWordsMs = 5_000
const killed: ProgramEnd = { exitCode: null, signal: 'SIGKILL' }

export interface StartParts {
  takeDown: (reason: string) => Promise<boolean>
  /** In which it has to have begun; how long it then runs is another matter. */
  startMs?: number
}

/** Has the host start a program. Rejects with NotStarted. */
export async function startThroughHost(
  session: ClientHttp2Session,
  program: Program,
  mark: string,
  { takeDown, startMs = 30_000 }: StartParts,
): Promise<EnclosedProgram> {
  const never = new AbortController().signal
  const stream = openStream(session, never)
  const { file, argv, env, cwd, takesInput = false } = program
  const asked: ProgramAsked = { file, argv, env, cwd, takesInput, mark }
  stream.write(frame(ProgramFrame.ask, JSON.stringify(asked)))
  const stdin = takesInput ? openStdin(stream) : null
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const started = Promise.withResolvers<number>()
  const exited = Promise.withResolvers<ProgramEnd>()
  started.promise.catch(() => undefined)

  async function hear({ kind, bytes }: Frame): Promise<void> {
    switch (kind) {
      case ProgramFrame.started:
        return started.resolve(pidIn(bytes))
      case ProgramFrame.notStarted:
        return started.reject(new NotStarted(messageIn(bytes)))
      case ProgramFrame.stdout:
        return pass(bytes, stdout)
      case ProgramFrame.stderr:
        return pass(bytes, stderr)
      case ProgramFrame.stdoutEnd:
        return void stdout.end()
      case ProgramFrame.stderrEnd:
        return void stderr.end()
      case ProgramFrame.ended:
        return exited.resolve(endIn(bytes))
      default:
        throw new Error(`a frame of the kind ${kind}`)
    }
  }
  async function hearAll(): Promise<void> {
    try {
      for await (const one of framesOf(stream as AsyncIterable<Buffer>, longestFrame)) await hear(one)
    } catch (error) {
      // A line that is cut is told by its loss; one that says nonsense is cut.
      if (!session.closed && !session.destroyed) void takeDown(`its host speaks no sense: ${String(error)}`)
    } finally {
      stream.close()
      stdout.end()
      stderr.end()
      exited.resolve(killed)
      started.reject(new NotStarted('What encloses the workspace came down while this was being started.'))
    }
  }
  void hearAll()

  const late = setTimeout(() => {
    started.reject(new NotStarted(`What encloses the workspace did not start it within ${startMs / 1000} s.`))
    stream.close()
  }, startMs)
  const pid = await started.promise.finally(() => clearTimeout(late))
  let ended: Promise<boolean> | undefined
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited: exited.promise,
    end: (graceMs) => (ended ??= end(graceMs)),
  }

  async function end(graceMs: number): Promise<boolean> {
    const isDead =
      (await endInside(session, mark, graceMs)) ||
      (await takeDown('what was to be ended in it could not be proven dead'))
    // The news of its end may wait behind output that nobody reads any more.
    await Promise.race([exited.promise, wait(lastWordsMs, undefined, { ref: false })])
    if (isDead) exited.resolve(killed)
    return isDead
  }
}

function openStream(session: ClientHttp2Session, signal: AbortSignal): ClientHttp2Stream {
  try {
    return streamHost(session, 'POST', '/programs', { signal })
  } catch {
    throw new NotStarted('What encloses the workspace came down. Try again: it is put up anew.')
  }
}

async function endInside(session: ClientHttp2Session, mark: string, graceMs: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(graceMs + endMs)
    const answer = await askHost(session, 'POST', '/programs/end', { signal, body: { mark, graceMs } })
    return 'isDead' in answer && answer.isDead === true
  } catch {
    return false
  }
}

/** Holds up whoever writes for as long as the program does not read. */
function openStdin(stream: ClientHttp2Stream): Writable {
  const stdin = new Writable({
    write(bytes: Buffer, _, done) {
      if (stream.writable) stream.write(frame(ProgramFrame.stdin, bytes), () => done())
      else done()
    },
    final(done) {
      if (stream.writable) stream.end(frame(ProgramFrame.stdinEnd), () => done())
      else done()
    },
  })
  stream.once('close', () => stdin.destroy())
  return stdin
}

/** What nobody wants any more is dropped. */
async function pass(bytes: Buffer, to: PassThrough): Promise<void> {
  if (!to.writable || to.write(bytes)) return
  await new Promise<void>((resolve) => {
    const go = () => {
      to.off('drain', go).off('close', go)
      resolve()
    }
    to.on('drain', go).on('close', go)
  })
}

function pidIn(bytes: Buffer): number {
  const { pid } = JSON.parse(bytes.toString())
  if (!Number.isSafeInteger(pid) || pid < 1) throw new Error('a program without a pid')
  return pid
}

const messageIn = (bytes: Buffer): string => String(JSON.parse(bytes.toString()).message).slice(0, 2_000)

function endIn(bytes: Buffer): ProgramEnd {
  const { exitCode, signal } = JSON.parse(bytes.toString())
  if (Number.isSafeInteger(exitCode)) return { exitCode, signal: null }
  if (typeof signal === 'string' && /^SIG[A-Z0-9+]{1,12}$/.test(signal)) return { exitCode: null, signal }
  throw new Error('an end that is none')
}
