import type { ReadAt } from '../read-bounded.ts'

interface Segment {
  type: number
  offset: number
  address: number
  size: number
}

/** As much of an ELF file as says what it is linked against, and where its sections are. */
export interface Elf {
  segments: Segment[]
  sections: { offset: number; entrySize: number; count: number; namesAt: number }
  /** How wide an address is: 4 or 8. */
  wide: number
  half: (bytes: Buffer, at: number) => number
  word: (bytes: Buffer, at: number) => number
  address: (bytes: Buffer, at: number) => number
}

const mostSegments = 128
const magic = Buffer.from([0x7f, 0x45, 0x4c, 0x46])

export const isElf = (start: Buffer): boolean => start.subarray(0, 4).equals(magic)

/** Undefined when it is none, or a broken one. Any size that the file claims is only believed as far as it makes sense. */
export async function readElfHeader(start: Buffer, readAt: ReadAt): Promise<Elf | undefined> {
  if (!isElf(start) || start.length < 64) return undefined
  const wide = start[4] === 2 ? 8 : 4
  const isLittle = start[5] === 1
  const half = (bytes: Buffer, at: number) => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at))
  const word = (bytes: Buffer, at: number) => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at))
  const address = (bytes: Buffer, at: number) =>
    wide === 4 ? word(bytes, at) : Number(isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  const is64 = wide === 8
  const tableAt = address(start, is64 ? 32 : 28)
  const entrySize = half(start, is64 ? 54 : 42)
  const count = half(start, is64 ? 56 : 44)
  if (count > mostSegments || entrySize < (is64 ? 56 : 32) || entrySize > 256) return undefined
  const end = tableAt + entrySize * count
  const table = end <= start.length ? start.subarray(tableAt, end) : await readAt(tableAt, entrySize * count)
  const segments = Array.from({ length: Math.floor(table.length / entrySize) }, (_, index): Segment => {
    const at = index * entrySize
    return {
      type: word(table, at),
      offset: address(table, at + (is64 ? 8 : 4)),
      address: address(table, at + (is64 ? 16 : 8)),
      size: address(table, at + (is64 ? 32 : 16)),
    }
  })
  const sections = {
    offset: address(start, is64 ? 40 : 32),
    entrySize: half(start, is64 ? 58 : 46),
    count: half(start, is64 ? 60 : 48),
    namesAt: half(start, is64 ? 62 : 50),
  }
  return { segments, sections, wide, half, word, address }
}
