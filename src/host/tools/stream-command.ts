import { StringDecoder } from 'node:string_decoder'
import type { CommandPiece } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { commandAsked } from './command-asked.ts'
import type { Commands } from './command.ts'
import { sinceMs } from './execution-time.ts'

const progressMs = 5_000
/** A command that says more waits until some of it was heard. */
const mostUnheard = 16

/** A command, piece by piece. Whoever stops listening ends it. Never throws: the last piece is `result` or `error`. */
export async function* streamCommand(
  commands: Commands,
  input: unknown,
  signal: AbortSignal,
): AsyncGenerator<CommandPiece> {
  const begun = performance.now()
  const hungUp = new AbortController()
  const queue = new PieceQueue()
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  const progress = setInterval(
    () => queue.put({ type: 'progress', elapsedMs: Math.round(performance.now() - begun) }),
    progressMs,
  )
  const running = (async () => {
    try {
      const result = await commands.run(
        commandAsked(input, true),
        AbortSignal.any([signal, hungUp.signal]),
        (type, bytes) => {
          const text = decoders[type].write(bytes)
          if (text) queue.put({ type, text })
          return queue.room()
        },
      )
      for (const type of ['stdout', 'stderr'] as const) {
        const text = decoders[type].end()
        if (text) queue.put({ type, text })
      }
      queue.put({ type: 'result', result: { ...result, executionTime: sinceMs(begun) } })
    } catch (error) {
      queue.put({ type: 'error', error: explained(error) })
    }
    queue.end()
  })()
  try {
    yield* queue.pieces()
  } finally {
    clearInterval(progress)
    hungUp.abort()
    queue.end()
    await running
  }
}

function explained(error: unknown): { code: string; message: string } {
  if (error instanceof ToolRefused) return { code: error.code, message: error.message }
  return { code: 'command_not_started', message: error instanceof Error ? error.message : String(error) }
}

class PieceQueue {
  #waiting: CommandPiece[] = []
  #isEnded = false
  #changed = Promise.withResolvers<void>()

  put(piece: CommandPiece): void {
    if (this.#isEnded) return
    this.#waiting.push(piece)
    this.#tell()
  }

  end(): void {
    this.#isEnded = true
    this.#tell()
  }

  /** Resolves when somebody has listened, or nobody will. */
  async room(): Promise<void> {
    while (this.#waiting.length >= mostUnheard && !this.#isEnded) await this.#changed.promise
  }

  async *pieces(): AsyncGenerator<CommandPiece> {
    for (;;) {
      const piece = this.#waiting.shift()
      if (piece) {
        this.#tell()
        yield piece
      } else if (this.#isEnded) return
      else await this.#changed.promise
    }
  }

  #tell(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}
