import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { SpoolRecord } from '#contract/keeper.ts'

/** So much may wait for the disk before the program has to. */
const roomBytes = 1024 * 1024
const retryMs = 250

/** The file of one execution's records. A record counts from the moment that all of it is in the file. */
export interface Spool {
  readonly offset: number
  readonly bytes: number
  /** Takes it at once; it is in the file a little later, or when there is room on the disk again. */
  append<Type extends SpoolRecord['type']>(type: Type, payload: PayloadOf<Type>): void
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

export function openSpool(file: string, { onGrowth, onTrouble }: Told): Spool {
  const queue: Buffer[] = []
  let queuedBytes = 0
  let numbered = 0
  let offset = 0
  let bytes = 0
  let handle: FileHandle | undefined
  let writing: Promise<void> | undefined
  let roomAgain: PromiseWithResolvers<void> | undefined

  async function writeQueue(): Promise<void> {
    for (let record = queue[0]; record; record = queue[0]) {
      await writeRecord(record)
      queue.shift()
      queuedBytes -= record.length
      offset += 1
      bytes += record.length
      if (queuedBytes < roomBytes) {
        roomAgain?.resolve()
        roomAgain = undefined
      }
      onGrowth()
    }
    writing = undefined
  }

  /** At its place in the file and from the byte where it stopped: what was written is never written twice. */
  async function writeRecord(record: Buffer): Promise<void> {
    let written = 0
    let troubled = false
    while (written < record.length) {
      try {
        handle ??= await open(file, 'w', 0o600)
        written += (await handle.write(record, written, record.length - written, bytes + written))
          .bytesWritten
      } catch (error) {
        if (!troubled) onTrouble(error)
        troubled = true
        await wait(retryMs)
      }
    }
  }

  return {
    get offset() {
      return offset
    },
    get bytes() {
      return bytes
    },
    append(type, payload) {
      numbered += 1
      const record = Buffer.from(
        `${JSON.stringify({ offset: numbered, at: new Date().toISOString(), type, payload })}\n`,
      )
      queue.push(record)
      queuedBytes += record.length
      writing ??= writeQueue()
    },
    room: () =>
      queuedBytes < roomBytes ? Promise.resolve() : (roomAgain ??= Promise.withResolvers()).promise,
    async close() {
      while (writing) await writing
      await handle?.close()
    },
  }
}
