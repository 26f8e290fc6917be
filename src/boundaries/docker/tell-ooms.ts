import { PassThrough } from 'node:stream'
import type { Readable } from 'node:stream'
import type { CommandAnswer } from '#contract/workspace-tool.ts'
import type { ProgramEnd } from '#lib/program.ts'
import type { ThroughHost } from '../through-host.ts'
import type { Watch } from './watch.ts'

type Memory = Pick<Watch, 'ooms' | 'oomSince'>

/** The engine tells a little later than the host does. */
const patienceMs = 300
const killed = 128 + 9

/**
 * A program that is killed because the memory of its workspace is at its end says nothing itself, and SIGKILL alone would
 * leave everybody guessing. The engine knows: its word is added to what the program wrote to stderr.
 */
export function tellOoms(host: ThroughHost, memory: Memory, memoryMb: number): ThroughHost {
  const word = `Killed: the workspace has ${memoryMb} MB of memory, and needed more.\n`
  const wasOom = (end: ProgramEnd, before: number) =>
    (end.signal === 'SIGKILL' || end.exitCode === killed) && memory.oomSince(before, patienceMs)
  const explained = async (answer: CommandAnswer, before: number): Promise<CommandAnswer> =>
    !answer.timedOut && (await wasOom(answer, before))
      ? { ...answer, stderr: `${answer.stderr}${word}` }
      : answer

  return {
    ...host,
    async start(program, mark) {
      const before = memory.ooms
      const running = await host.start(program, mark)
      const told = async () => ((await wasOom(await running.exited, before)) ? word : '')
      return { ...running, stderr: followedBy(running.stderr, told) }
    },
    async call(tool, input, signal) {
      const before = memory.ooms
      const answer = await host.call(tool, input, signal)
      return tool === 'command' ? explained(answer as CommandAnswer, before) : answer
    },
    async *stream(input, signal) {
      const before = memory.ooms
      for await (const piece of host.stream(input, signal))
        yield piece.type === 'result' ? { ...piece, result: await explained(piece.result, before) } : piece
    },
  }
}

function followedBy(output: Readable, last: () => Promise<string>): Readable {
  const whole = new PassThrough()
  output.pipe(whole, { end: false })
  output.once('close', () => void last().then((word) => whole.end(word)))
  whole.once('close', () => output.destroy())
  return whole
}
