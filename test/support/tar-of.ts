/** One entry of a tar, as whoever made it wanted it: nothing is checked. */
export interface TarEntry {
  name: string
  /** 0 file, 1 hard link, 2 link, 3 and 4 devices, 5 folder, 6 pipe. */
  type?: string
  linkName?: string
  mode?: number
  content?: string | Buffer
}

/** A tar with exactly these entries, in this order. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(blocksOf), Buffer.alloc(1024)])
}

function blocksOf({ name, type = '0', linkName = '', mode = 0o644, content = '' }: TarEntry): Buffer[] {
  const body = Buffer.from(content)
  const header = Buffer.alloc(512)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0, 100)
  header.write(octal(mode, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(body.length, 12), 124)
  header.write(octal(1_700_000_000, 12), 136)
  header.write(' '.repeat(8), 148)
  header.write(type, 156)
  header.write(linkName, 157, 100)
  header.write('ustar\u000000', 257)
  header.write(octal(1, 8), 329)
  header.write(octal(3, 8), 337)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
}
