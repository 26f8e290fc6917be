import { promisify } from 'node:util'
import { createZstdCompress, zstdDecompress } from 'node:zlib'
import type { Frozen } from './frozen.ts'
import { granule } from './image.ts'

// It may be a hundred megabytes: it is packed in other threads than ours, in which everybody is answered. Even to copy it takes long.
const unpacked = promisify(zstdDecompress)
/** So much is passed on at a time; small pieces take longer to be passed on than to be made. */
const pieceBytes = 1024 * 1024

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
  memory: Promise<Uint8Array>
  state: StoredState
} {
  const places = Buffer.alloc(at.length * 4)
  for (const [index, place] of at.entries()) places.writeUInt32LE(place, index * 4)
  const packing = createZstdCompress({ chunkSize: pieceBytes })
  packing.write(places)
  packing.end(bytes)
  const memory = packing.toArray().then((pieces) => Buffer.concat(pieces as Buffer[]))
  // Nobody may want it any more.
  memory.catch(() => {})
  return { image, memory, state: { size, stackPointer, granules: at.length, calls } }
}

/** Rejects when it cannot have been a run. */
export async function readRun(image: string, memory: Uint8Array, state: StoredState): Promise<Frozen> {
  const { size, stackPointer, granules, calls } = state
  const length = granules * (4 + granule)
  // In one piece, with room for one byte more: as long as there is room nothing has to be put together.
  const room = { maxOutputLength: Math.max(1, length), chunkSize: Math.max(64, length + 1) }
  const whole = await unpacked(memory, room)
  const at = Uint32Array.from({ length: granules }, (_, index) => whole.readUInt32LE(index * 4))
  if (whole.length !== length || at.some((place) => place % granule !== 0 || place + granule > size))
    throw new Error('The memory of the frozen execution is damaged')
  const bytes = new Uint8Array(whole.buffer, whole.byteOffset + granules * 4, granules * granule)
  return { image, size, stackPointer, calls, at, bytes }
}
