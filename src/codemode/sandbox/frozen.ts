import { granule } from './image.ts'
import type { Image } from './image.ts'

/** A run in the middle of its work: what of its memory differs from the image. It needs no instance, and thaws in any. */
export interface Frozen {
  image: string
  size: number
  stackPointer: number
  /** The calls that it waits for. */
  calls: number[]
  /** Offsets of granules, and their bytes one after the other. */
  at: Uint32Array
  bytes: Uint8Array
}

const empty = Buffer.alloc(granule)

export function freezeMemory(image: Image, memory: Buffer, stackPointer: number, calls: number[]): Frozen {
  const base = Buffer.from(image.memory.buffer)
  const changed: number[] = []
  for (let at = 0; at < memory.length; at += granule) {
    const isSame =
      at < base.length
        ? memory.compare(base, at, at + granule, at, at + granule) === 0
        : memory.compare(empty, 0, granule, at, at + granule) === 0
    if (!isSame) changed.push(at)
  }
  const bytes = new Uint8Array(changed.length * granule)
  for (const [index, at] of changed.entries()) bytes.set(memory.subarray(at, at + granule), index * granule)
  return {
    image: image.hash,
    size: memory.length,
    stackPointer,
    calls,
    at: Uint32Array.from(changed),
    bytes,
  }
}

/** Onto a memory that is as the image has it. */
export function thawMemory(memory: Buffer, { at, bytes }: Frozen): void {
  for (const [index, offset] of at.entries())
    memory.set(bytes.subarray(index * granule, (index + 1) * granule), offset)
}
