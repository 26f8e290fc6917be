/** A line of a diff. `before` and `after` count from 1, on the side where the line is. */
export interface DiffLine {
  kind: 'same' | 'added' | 'removed'
  before: number | null
  after: number | null
  text: string
  /** The line of the other side that stands in its place, where lines were changed and not only added. */
  pair?: string
}
export interface Hunk {
  /** What git says of where it is: the function, as a rule. */
  heading: string
  lines: DiffLine[]
}
export interface FileDiff {
  path: string
  /** What it was called before, where it was renamed. */
  oldPath: string | null
  isBinary: boolean
  hunks: Hunk[]
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

/** A unified diff of git, file by file. What was cut off at its end is not there. */
export function parseDiff(text: string): FileDiff[] {
  const files: FileDiff[] = []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  let file: FileDiff | undefined
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? ''
    const [found, , , , , heading = ''] = hunkHead.exec(line) ?? []
    if (found !== undefined && file) {
      const [hunk, next] = hunkAt(lines, at, heading)
      file.hunks.push(hunk)
      at = next
      continue
    }
    at += 1
    if (line.startsWith('diff --git ')) {
      file = { path: pathIn(line), oldPath: null, isBinary: false, hunks: [] }
      files.push(file)
    } else if (file) readHead(file, line)
  }
  return files
}

function readHead(file: FileDiff, line: string): void {
  const [, name = '', rest = ''] =
    /^(--- |\+\+\+ |rename from |rename to |Binary files )(.*)$/.exec(line) ?? []
  if (name === 'Binary files ') file.isBinary = true
  if (name === 'rename from ') file.oldPath = unquoted(rest)
  if (name === 'rename to ') file.path = unquoted(rest)
  const path = unquoted(rest.replace(/\t$/, ''))
  if ((name === '--- ' || name === '+++ ') && path !== '/dev/null') file.path = path.slice(2)
}

/** How long a hunk is stands in its head: within it `--- x` is a removed line. */
function hunkAt(lines: readonly string[], from: number, heading: string): [Hunk, number] {
  const [, before = '1', left = '1', after = '1', right = '1'] = hunkHead.exec(lines[from] ?? '') ?? []
  const at = { before: Number(before), after: Number(after) }
  let [removed, added] = [Number(left), Number(right)]
  const hunk: Hunk = { heading, lines: [] }
  let next = from + 1
  for (; next < lines.length && (removed > 0 || added > 0 || lines[next]?.startsWith('\\')); next += 1) {
    const line = lines[next] ?? ''
    const [mark, text] = [line.charAt(0), line.slice(1)]
    if (mark === '\\') continue
    const kind = mark === '+' ? 'added' : mark === '-' ? 'removed' : 'same'
    const isBefore = kind !== 'added'
    const isAfter = kind !== 'removed'
    hunk.lines.push({
      kind,
      text,
      before: isBefore ? at.before : null,
      after: isAfter ? at.after : null,
    })
    if (isBefore) [at.before, removed] = [at.before + 1, removed - 1]
    if (isAfter) [at.after, added] = [at.after + 1, added - 1]
  }
  pairUp(hunk.lines)
  return [hunk, next]
}

/** Lines that were removed, and as many that came in their place right after them. */
function pairUp(lines: readonly DiffLine[]): void {
  for (let at = 0; at < lines.length;) {
    const begin = at
    while (lines[at]?.kind === 'removed') at += 1
    const removed = lines.slice(begin, at)
    const middle = at
    while (lines[at]?.kind === 'added') at += 1
    const added = lines.slice(middle, at)
    for (const [index, line] of removed.entries()) {
      const other = added[index]
      if (!other) break
      line.pair = other.text
      other.pair = line.text
    }
    if (at === begin) at += 1
  }
}

/** `diff --git a/x b/x`: both are the same, or a rename says so later. */
function pathIn(line: string): string {
  const rest = line.slice('diff --git '.length)
  if (rest.startsWith('"')) return unquoted(/^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0] ?? rest).slice(2)
  return rest.slice(2, (rest.length - 1) / 2)
}

const escapes: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  '\\': '\\',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
}

/** As git writes a name that is not plain: bytes in octal, as in C. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"')) return name
  const bytes: number[] = []
  const encode = new TextEncoder()
  for (const [, octal, letter, plain] of name.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs))
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else bytes.push(...encode.encode(letter === undefined ? (plain ?? '') : (escapes[letter] ?? letter)))
  return new TextDecoder().decode(new Uint8Array(bytes))
}
