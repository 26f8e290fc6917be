const headerSize = 64
const segmentSize = 56
const address = 0x400000

/** The least ELF file that asks for these libraries. It cannot be run; the linker's own tools can read it. */
export function elfLinkedTo(libraries: readonly string[]): Buffer {
  const strings = Buffer.from(`\0${libraries.map((name) => `${name}\0`).join('')}`)
  const dynamicAt = headerSize + 2 * segmentSize
  const entries = libraries.length + 3
  const stringsAt = dynamicAt + entries * 16
  const file = Buffer.alloc(stringsAt + strings.length)
  file.write('\x7fELF\x02\x01\x01', 'latin1')
  file.writeUInt16LE(3, 16)
  file.writeUInt16LE(62, 18)
  file.writeUInt32LE(1, 20)
  file.writeBigUInt64LE(BigInt(headerSize), 32)
  file.writeUInt16LE(headerSize, 52)
  file.writeUInt16LE(segmentSize, 54)
  file.writeUInt16LE(2, 56)
  segment(file, headerSize, 1, 0, file.length)
  segment(file, headerSize + segmentSize, 2, dynamicAt, entries * 16)
  let at = dynamicAt
  const entry = (tag: number, value: number) => {
    file.writeBigUInt64LE(BigInt(tag), at)
    file.writeBigUInt64LE(BigInt(value), at + 8)
    at += 16
  }
  let nameAt = 1
  for (const name of libraries) {
    entry(1, nameAt)
    nameAt += name.length + 1
  }
  entry(5, address + stringsAt)
  entry(10, strings.length)
  strings.copy(file, stringsAt)
  return file
}

function segment(file: Buffer, at: number, type: number, offset: number, size: number): void {
  file.writeUInt32LE(type, at)
  file.writeUInt32LE(5, at + 4)
  file.writeBigUInt64LE(BigInt(offset), at + 8)
  file.writeBigUInt64LE(BigInt(address + offset), at + 16)
  file.writeBigUInt64LE(BigInt(address + offset), at + 24)
  file.writeBigUInt64LE(BigInt(size), at + 32)
  file.writeBigUInt64LE(BigInt(size), at + 40)
  file.writeBigUInt64LE(0x1000n, at + 48)
}
