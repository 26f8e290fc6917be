import { Transform } from 'node:stream'
import { handedOver } from '#host/pipes.ts'
import type { Pipe } from '#host/pipes.ts'

const greeting = 'R'

/** What tmux copies from a terminal, byte for byte. */
export interface TerminalOutput {
  stream: Transform
  /** What tmux is to run beside the terminal, by a shell of its own. */
  command: string
}

/** Through a pipe. What copies into it says so first: from then on only that holds it open, and its end is the end. */
export function terminalOutput(pipe: Pipe): TerminalOutput {
  let isGreeted = false
  const handOver = () => {
    if (!isGreeted) handedOver(pipe)
    isGreeted = true
  }
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      const piece = isGreeted ? chunk : chunk.subarray(greeting.length)
      handOver()
      done(null, piece)
    },
    destroy(error, done) {
      handOver()
      pipe.output.destroy()
      done(error)
    },
  })
  pipe.output.on('error', () => stream.end())
  pipe.output.pipe(stream)
  return { stream, command: `{ printf ${greeting}; exec cat; } >/proc/${process.pid}/fd/${pipe.input}` }
}
