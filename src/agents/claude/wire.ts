import type { EnclosedAgent, Hands } from '../port.ts'
import { readLines } from '#lib/lines.ts'

/** How long the output of a dead agent may stay silent while something else holds it open. */
const patienceMs = 1_000
const mostOfTail = 2_000
const longestComplaint = 1024 * 1024

interface Reader {
  /** The next one is read when this has resolved. */
  line: (line: string) => Promise<void>
  error: (line: string) => Promise<void>
  tooLong: (bytes: number) => void
}

/** The lines that go between Claude Code and us. */
export interface Wire {
  send(frame: unknown): void
  /** The last that it wrote to stderr. */
  tail: () => string
  /** Resolves when all it said has been read. Never rejects. */
  ended: Promise<void>
}

export function openWire(running: EnclosedAgent, frame: Hands['frame'], reader: Reader): Wire {
  const { stdin, stdout, stderr } = running
  let tail = ''
  let busy = 0
  let lastWord = performance.now()
  const taken = async (read: Promise<void>) => {
    busy += 1
    await read
    busy -= 1
    lastWord = performance.now()
  }

  const ended = Promise.all([
    readLines(stdout, {
      take: (line) => {
        frame('out', line)
        return taken(reader.line(line))
      },
      tooLong: reader.tooLong,
    }),
    readLines(stderr, {
      take: (line) => {
        frame('err', line)
        tail = `${tail}${line}\n`.slice(-mostOfTail)
        return taken(reader.error(line))
      },
      tooLong: reader.tooLong,
      longest: longestComplaint,
    }),
  ]).then(() => undefined)

  /** Whatever it started may hold its output open for ever. */
  const hangUp = () => {
    const silentMs = performance.now() - lastWord
    if (busy > 0 || silentMs < patienceMs) return void setTimeout(hangUp, patienceMs / 4).unref()
    stdout.destroy()
    stderr.destroy()
  }
  void running.exited.then(() => {
    lastWord = performance.now()
    return hangUp()
  })

  return {
    send(message) {
      const line = JSON.stringify(message)
      frame('in', line)
      stdin?.write(`${line}\n`)
    },
    tail: () => tail.trim(),
    ended,
  }
}
