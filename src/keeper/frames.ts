import { createWriteStream, mkdirSync } from 'node:fs'
import type { WriteStream } from 'node:fs'
import { dirname } from 'node:path'

/** Beyond this a file of frames is of no use to people, and nothing needs it. */
const mostBytes = 64 * 1024 * 1024

/** The lines of an agent's protocol, as they went over the wire, for whoever has to find out what went wrong. */
export interface Frames {
  note(direction: 'in' | 'out' | 'err', line: string): void
  /** What follows belongs into this file. */
  turnTo(file: string | null): void
  close(): void
}

export function openFrames(first: string | null, log: (line: string) => void, most = mostBytes): Frames {
  let stream: WriteStream | undefined
  let bytes = 0

  function turnTo(file: string | null): void {
    stream?.end()
    stream = undefined
    bytes = 0
    if (file === null) return
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      stream = createWriteStream(file, { flags: 'a', mode: 0o600 })
      // Nothing waits for them: what the disk does not take is missing.
      stream.on('error', (error) => {
        log(`Frames are not kept: ${error.message}`)
        stream = undefined
      })
    } catch (error) {
      log(`Frames are not kept: ${String(error)}`)
    }
  }

  turnTo(first)
  return {
    note(dir, line) {
      if (!stream || bytes > most || stream.writableLength > most / 8) return
      const text = `{"t":${Date.now()},"dir":"${dir}","line":${JSON.stringify(line)}}\n`
      bytes += text.length
      stream.write(text)
    },
    turnTo,
    close: () => turnTo(null),
  }
}
