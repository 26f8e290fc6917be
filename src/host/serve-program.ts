import { constants } from 'node:http2'
import type { ServerHttp2Stream } from 'node:http2'
import type { Readable, Writable } from 'node:stream'
import { ProgramFrame } from '#contract/host.ts'
import type { ProgramAsked } from '#contract/host.ts'
import { frame, framesOf } from '#lib/framed-bytes.ts'
import type { Frame } from '#lib/framed-bytes.ts'
import type { EnclosedProgram } from '#lib/program.ts'
import type { Programs } from './programs.ts'

const longestFrame = 16 << 20

/** One program on a stream of its own: what it is asked comes in frames, and what it says goes out in them. */
export async function serveProgram(programs: Programs, stream: ServerHttp2Stream): Promise<void> {
  const frames = framesOf(stream as AsyncIterable<Buffer>, longestFrame)
  const first = await frames.next()
  if (first.done || first.value.kind !== ProgramFrame.ask) throw new Error('The first frame asks for nothing')
  const { mark, ...asked }: ProgramAsked = JSON.parse(first.value.bytes.toString())
  stream.respond({ [constants.HTTP2_HEADER_STATUS]: 200 })
  let program: EnclosedProgram
  try {
    program = await programs.start(asked, mark)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    stream.end(frame(ProgramFrame.notStarted, JSON.stringify({ message })))
    return
  }
  stream.write(frame(ProgramFrame.started, JSON.stringify({ pid: program.pid })))
  void feed(program.stdin, frames)
  const ended = program.exited.then((end) => send(stream, frame(ProgramFrame.ended, JSON.stringify(end))))
  await Promise.all([
    ended,
    tell(program.stdout, stream, ProgramFrame.stdout, ProgramFrame.stdoutEnd),
    tell(program.stderr, stream, ProgramFrame.stderr, ProgramFrame.stderrEnd),
  ])
  stream.end()
}

/** Reads no further than the stream takes it. */
async function tell(
  output: Readable,
  stream: ServerHttp2Stream,
  kind: number,
  endKind: number,
): Promise<void> {
  try {
    for await (const piece of output as AsyncIterable<Buffer>) await send(stream, frame(kind, piece))
  } catch {
    // it cannot be read any more, which is its end
  }
  await send(stream, frame(endKind))
}

async function feed(stdin: Writable | null, frames: AsyncIterable<Frame>): Promise<void> {
  try {
    for await (const { kind, bytes } of frames) {
      if (kind === ProgramFrame.stdinEnd) stdin?.end()
      else if (kind === ProgramFrame.stdin && stdin?.writable && !stdin.write(bytes)) await room(stdin)
    }
  } catch {
    // the line is lost, and with it everything ends
  }
}

async function send(stream: ServerHttp2Stream, bytes: Buffer): Promise<void> {
  if (stream.writable && !stream.write(bytes)) await room(stream)
}

function room(to: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (to.destroyed) return resolve()
    const go = () => {
      to.off('drain', go).off('close', go).off('error', go)
      resolve()
    }
    to.on('drain', go).on('close', go).on('error', go)
  })
}
