import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Frozen } from './frozen.ts'
import { granule } from './image.ts'

/** What of a frozen run is JSON; the rest is its memory. */
export interface StoredState {
  size: number
  stackPointer: number
  granules: number
  calls: number[]
}

/** As it is kept: where the granules belong, then their bytes; compressed. */
export function storedRun({ image, at, bytes, size, stackPointer, calls }: Frozen): {
  image: string
  memory: Uint8Array
  state: StoredState
} {
  const places = Buffer.alloc(at.length * 4)
  for (const [index, place] of at.entries()) places.writeUInt32LE(place, index * 4)
  const memory = zstdCompressSync(Buffer.concat([places, bytes]))
  return { image, memory, state: { size, stackPointer, granules: at.length, calls } }
}

/** Throws when it cannot have been a run. */
export function readRun(image: string, memory: Uint8Array, state: StoredState): Frozen {
  const { size, stackPointer, granules, calls } = state
  const length = granules * (4 + granule)
  const whole = zstdDecompressSync(memory, { maxOutputLength: Math.max(1, length) })
  const at = Uint32Array.from({ length: granules }, (_, index) => whole.readUInt32LE(index * 4))
  if (whole.length !== length || at.some((place) => place % granule !== 0 || place + granule > size))
    throw new Error('The memory of the frozen execution is damaged')
  return { image, size, stackPointer, calls, at, bytes: Uint8Array.from(whole.subarray(granules * 4)) }
}
