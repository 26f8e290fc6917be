import type { Readable } from 'node:stream'
import { always, alsoIgnored, startRipgrep } from './ripgrep.ts'
import type { Sought } from './search.ts'
import { Smallest } from './smallest.ts'

export interface FoundLine {
  line: number
  /** Where it begins, in bytes. */
  offset: number
  /** As ripgrep saw it; cut. */
  bytes: Buffer
}

export interface FoundIn {
  path: string
  lines: FoundLine[]
}

/** Of one file. */
export const mostLines = 100
export const longestLineBytes = 500

/** Lines of files that fit, by ripgrep. */
export async function searchContent(sought: Sought & { rg: string }): Promise<Smallest<FoundIn>> {
  const { rg, root, below, signal, caseSensitive, pattern } = sought
  const told = [
    '--no-heading',
    '--with-filename',
    '--null',
    '--line-number',
    '--byte-offset',
    '--encoding=none',
  ]
  const args = [
    ...always,
    ...told,
    ...(sought.includeIgnored ? alsoIgnored : []),
    `--max-count=${mostLines + 1}`,
    caseSensitive ? '-s' : '-i',
    '-e',
    pattern,
    '--',
    below,
  ]
  const { output, ended, stop } = startRipgrep(rg, root, [args], signal)
  const found = new Smallest<FoundIn>(sought.limit, ({ path }) => path)
  let last: FoundIn | undefined
  let skipped: string | undefined
  try {
    await readRecords(output, (path, line) => {
      if (path === skipped) return
      if (path === last?.path) return void last.lines.push(line)
      if (last) found.add(last)
      const isAmongFirst = found.takes(path)
      last = isAmongFirst ? { path, lines: [line] } : undefined
      skipped = isAmongFirst ? undefined : path
      if (!isAmongFirst) found.add({ path, lines: [] })
    })
    await ended
    if (last) found.add(last)
    return found
  } finally {
    stop()
  }
}

/** Lines of `path NUL line : offset : text`; what is none of these is a remark of ripgrep's own. */
async function readRecords(output: Readable, take: (path: string, line: FoundLine) => void): Promise<void> {
  let [known, knownPath] = [Buffer.alloc(0), '']
  const takeLine = (bytes: Buffer) => {
    const end = bytes.indexOf(0)
    if (end === -1) return
    const name = bytes.subarray(0, end)
    if (!name.equals(known)) {
      known = Buffer.from(name)
      knownPath = name.toString('utf8').replace(/^\.\//, '')
    }
    const head = bytes.toString('latin1', end + 1, end + 40)
    const [all, line, offset] = /^(\d+):(\d+):/.exec(head) ?? []
    if (all === undefined) return
    const from = end + 1 + all.length
    const text = bytes.subarray(from, from + longestLineBytes)
    take(knownPath, { line: Number(line), offset: Number(offset), bytes: Buffer.from(text) })
  }
  // Only the beginning of a line is looked at, however long it is.
  const longest = 4096 + 40 + longestLineBytes
  let begun = Buffer.alloc(0)
  for await (const piece of output as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      const line = piece.subarray(from, end)
      takeLine(begun.length > 0 ? Buffer.concat([begun, line]) : line)
      begun = Buffer.alloc(0)
      from = end + 1
    }
    if (begun.length < longest) begun = Buffer.concat([begun, piece.subarray(from, from + longest)])
  }
  takeLine(begun)
}
