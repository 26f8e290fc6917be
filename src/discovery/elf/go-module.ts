import type { ReadAt } from '../read-bounded.ts'
import type { Elf } from './header.ts'

export interface GoModule {
  module: string
  version: string | null
}

const mostSections = 500
const largest = 1024 * 1024
const hasItInside = 2

/** The module that a program of Go was built from, as `go version -m` says it; undefined for programs of other languages. */
export async function goModuleOf(elf: Elf, readAt: ReadAt): Promise<GoModule | undefined> {
  const bytes = await sectionOf(elf, readAt, '.go.buildinfo')
  if (
    !bytes ||
    bytes.length < 33 ||
    !bytes.subarray(0, 14).equals(Buffer.from('\xff Go buildinf:', 'latin1'))
  )
    return undefined
  if (((bytes[15] ?? 0) & hasItInside) === 0) return undefined
  const compiler = lengthAt(bytes, 32)
  const about = lengthAt(bytes, compiler.end + compiler.length)
  const text = bytes.toString('utf8', about.end, about.end + about.length)
  const [, module, version] = /^mod\t([^\t\n]+)\t([^\t\n]*)/m.exec(text) ?? []
  return module === undefined ? undefined : { module, version: version?.startsWith('v') ? version : null }
}

async function sectionOf(elf: Elf, readAt: ReadAt, wanted: string): Promise<Buffer | undefined> {
  const { offset, entrySize, count, namesAt } = elf.sections
  const is64 = elf.wide === 8
  if (count > mostSections || entrySize < (is64 ? 64 : 40) || entrySize > 256 || namesAt >= count)
    return undefined
  const table = await readAt(offset, entrySize * count)
  if (table.length < entrySize * count) return undefined
  const placeOf = (index: number) => ({
    offset: elf.address(table, index * entrySize + (is64 ? 24 : 16)),
    size: Math.min(elf.address(table, index * entrySize + (is64 ? 32 : 20)), largest),
  })
  const names = await readAt(placeOf(namesAt).offset, placeOf(namesAt).size)
  for (let index = 0; index < count; index += 1) {
    const at = elf.word(table, index * entrySize)
    if (names.toString('latin1', at, at + wanted.length + 1) !== `${wanted}\0`) continue
    const place = placeOf(index)
    return readAt(place.offset, place.size)
  }
  return undefined
}

/** A number in Go's own writing: seven bits a byte, the lowest first. */
function lengthAt(bytes: Buffer, from: number): { length: number; end: number } {
  let length = 0
  for (let at = from; at < Math.min(bytes.length, from + 5); at += 1) {
    const byte = bytes[at] ?? 0
    length += (byte & 0x7f) * 2 ** (7 * (at - from))
    if (byte < 0x80) return { length, end: at + 1 }
  }
  return { length: 0, end: bytes.length }
}
