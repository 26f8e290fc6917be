import type { ReadAt } from '../read-bounded.ts'
import type { Elf } from './header.ts'

const loaded = 1
const dynamic = 2
const needed = 1
const stringTable = 5
const mostEntries = 1_000
const mostLibraries = 200
const longestName = 256
const mostAtOnce = 64 * 1024

/** The libraries that a program asks for by name (DT_NEEDED), in their order; none of a static one. */
export async function librariesOf(elf: Elf, start: Buffer, readAt: ReadAt): Promise<string[]> {
  const segment = elf.segments.find(({ type }) => type === dynamic)
  if (!segment) return []
  const entry = elf.wide * 2
  const table = await readAt(segment.offset, Math.min(segment.size, mostEntries * entry))
  const names: number[] = []
  let stringsAt: number | undefined
  for (let at = 0; at + entry <= table.length; at += entry) {
    const tag = elf.address(table, at)
    const value = elf.address(table, at + elf.wide)
    if (tag === 0) break
    if (tag === needed && names.length < mostLibraries) names.push(value)
    if (tag === stringTable) stringsAt = offsetOf(elf, value)
  }
  if (stringsAt === undefined || names.length === 0) return []
  const first = stringsAt + Math.min(...names)
  const last = stringsAt + Math.max(...names)
  // They are close together, and near the beginning, in most files.
  if (last + longestName <= start.length) return names.map((name) => stringAt(start, stringsAt + name))
  if (last - first <= mostAtOnce) {
    const strings = await readAt(first, last - first + longestName)
    return names.map((name) => stringAt(strings, stringsAt + name - first))
  }
  const each: string[] = []
  for (const name of names) each.push(stringAt(await readAt(stringsAt + name, longestName), 0))
  return each
}

/** Where in the file is what will be at this address. */
function offsetOf({ segments }: Elf, address: number): number | undefined {
  const segment = segments.find(
    (one) => one.type === loaded && address >= one.address && address < one.address + one.size,
  )
  return segment && segment.offset + address - segment.address
}

function stringAt(bytes: Buffer, at: number): string {
  const end = bytes.indexOf(0, at)
  return end === -1 || end - at > longestName ? '' : bytes.toString('latin1', at, end)
}
