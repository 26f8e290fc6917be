import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { SpoolRecord } from '#contract/keeper.ts'
import { outputEncoder } from './encode-output.ts'

/** So much may wait for the disk before the program has to. */
const roomBytes = 1024 * 1024
const retryMs = 250

/** The file of one execution's records. A record counts from the moment that all of it is in the file. */
export interface Spool {
  readonly offset: number
  readonly bytes: number
  /** Takes it at once; it is in the file a little later, or when there is room on the disk again. Answers with its size. */
  append<Type extends Exclude<SpoolRecord['type'], 'data-terminal'>>(
    type: Type,
    payload: PayloadOf<Type>,
  ): number
  appendOutput(stream: PayloadOf<'data-terminal'>['stream'], bytes: Buffer): void
  /** Resolves when it is time for more. Never rejects. */
  room(): Promise<void>
  /** Resolves once everything is in the file; nothing may be appended any more. */
  close(): Promise<void>
}

type PayloadOf<Type> = Extract<SpoolRecord, { type: Type }>['payload']

interface Told {
  onGrowth: () => void
  /** The disk refuses; told once until it works again. */
  onTrouble: (error: unknown) => void
}

interface Waiting {
  size: number
  encode(): Buffer
}

export function openSpool(file: string, { onGrowth, onTrouble }: Told): Spool {
  const queue: Waiting[] = []
  const encodeOutput = outputEncoder()
  let queuedBytes = 0
  let numbered = 0
  let offset = 0
  let bytes = 0
  let handle: FileHandle | undefined
  let writing: Promise<void> | undefined
  let roomAgain: PromiseWithResolvers<void> | undefined

  async function writeQueue(): Promise<void> {
    for (let next = queue[0]; next; next = queue[0]) {
      bytes += await writeRecord(next.encode())
      queue.shift()
      queuedBytes -= next.size
      offset += 1
      if (queuedBytes < roomBytes) {
        roomAgain?.resolve()
        roomAgain = undefined
      }
      onGrowth()
    }
    writing = undefined
  }

  /** At its place in the file and from the byte where it stopped: what was written is never written twice. */
  async function writeRecord(record: Buffer): Promise<number> {
    let written = 0
    let troubled = false
    while (written < record.length) {
      try {
        handle ??= await open(file, 'w', 0o600)
        const rest = record.length - written
        written += (await handle.write(record, written, rest, bytes + written)).bytesWritten
      } catch (error) {
        if (!troubled) onTrouble(error)
        troubled = true
        await wait(retryMs)
      }
    }
    return written
  }

  function enqueue(waiting: Waiting): void {
    queue.push(waiting)
    queuedBytes += waiting.size
    writing ??= writeQueue()
  }

  function next(): Pick<SpoolRecord, 'offset' | 'at'> {
    numbered += 1
    return { offset: numbered, at: new Date().toISOString() }
  }

  return {
    get offset() {
      return offset
    },
    get bytes() {
      return bytes
    },
    append(type, payload) {
      const record = Buffer.from(`${JSON.stringify({ ...next(), type, payload })}\n`)
      enqueue({ size: record.length, encode: () => record })
      return record.length
    },
    appendOutput(stream, output) {
      const number = next()
      enqueue({ size: output.length, encode: () => encodeOutput(number, stream, output) })
    },
    room: () =>
      queuedBytes < roomBytes ? Promise.resolve() : (roomAgain ??= Promise.withResolvers()).promise,
    async close() {
      while (writing) await writing
      await handle?.close()
    },
  }
}
