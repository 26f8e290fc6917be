import { Transform } from 'node:stream'
import type { Pipe } from '#host/pipes.ts'
import { handedOver } from '#host/pipes.ts'

const greeting = 'R'

/** What tmux copies from a terminal, byte for byte. */
export interface TerminalOutput {
  stream: Transform
  /** What tmux is to run beside the terminal, by a shell of its own. */
  command: string
  /** The program has ended: after the last of its output comes this word, and with that the stream is over. */
  endWith(word: string): void
}

/** Through a pipe, so that it is told in order. What copies into it says so first: from then on only that holds it open. */
export function terminalOutput(pipe: Pipe): TerminalOutput {
  let isGreeted = false
  let lastWord: Buffer | undefined
  let held = Buffer.alloc(0)

  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      const piece = isGreeted ? chunk : chunk.subarray(greeting.length)
      if (!isGreeted) handedOver(pipe)
      isGreeted = true
      done(null, lastWord ? withoutWord(lastWord, piece) : piece)
    },
    flush(done) {
      done(null, held)
    },
    destroy(error, done) {
      if (!isGreeted) handedOver(pipe)
      isGreeted = true
      pipe.output.destroy()
      done(error)
    },
  })

  function withoutWord(word: Buffer, piece: Buffer): Buffer {
    const all = Buffer.concat([held, piece])
    const at = all.indexOf(word)
    // The beginning of the word may be at the end of this.
    const sure = at === -1 ? Math.max(0, all.length - word.length + 1) : at
    held = at === -1 ? all.subarray(sure) : Buffer.alloc(0)
    if (at !== -1) pipe.output.destroy()
    return all.subarray(0, sure)
  }

  pipe.output.on('error', () => undefined)
  pipe.output.once('close', () => stream.end())
  pipe.output.pipe(stream)
  return {
    stream,
    command: `{ printf ${greeting}; exec cat; } >/proc/${process.pid}/fd/${pipe.input}`,
    endWith: (word) => (lastWord = Buffer.from(word)),
  }
}
