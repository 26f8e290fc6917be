/** What a text in Markdown is made of, block by block. What is not finished yet is shown as far as it goes. */
export type Block =
  | { kind: 'paragraph'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | { kind: 'list'; start: number | null; items: Block[][] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'line' }

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/
const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/
const quoted = /^ {0,3}> ?/
const item = /^( {0,3})([-*+]|\d{1,9}[.)])(\s+|$)/
const divider = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/
const deepest = 8

/** The fence that is open after this text, which begins inside of another one, or of none (an empty text). */
export function fenceAfter(text: string, open: string): string {
  let now = open
  for (const line of text.split('\n')) {
    const [, marks] = fence.exec(line) ?? []
    if (now === '') now = marks === undefined ? '' : line.trim()
    else if (closes(line, now)) now = ''
  }
  return now
}

const closes = (line: string, open: string): boolean => {
  const [marks = ''] = /^(?:`+|~+)/.exec(open) ?? []
  const end = line.trim()
  return end.length >= marks.length && marks !== '' && end === marks.charAt(0).repeat(end.length)
}

export function blocksOf(text: string, insideOf = ''): Block[] {
  const lines = text.split('\n')
  return parse(insideOf === '' ? lines : [insideOf, ...lines], 0)
}

function parse(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = []
  for (let at = 0; at < lines.length;) {
    const [block, next] = blockAt(lines, at, depth)
    if (block) blocks.push(block)
    at = next
  }
  return blocks
}

function blockAt(lines: readonly string[], at: number, depth: number): [Block | undefined, number] {
  const line = lines[at] ?? ''
  if (line.trim() === '') return [undefined, at + 1]
  const [, marks, language = ''] = fence.exec(line) ?? []
  if (marks !== undefined) return codeAt(lines, at, language)
  const [, signs, title = ''] = heading.exec(line) ?? []
  if (signs !== undefined) return [{ kind: 'heading', level: signs.length, text: title }, at + 1]
  if (rule.test(line)) return [{ kind: 'line' }, at + 1]
  if (quoted.test(line) && depth < deepest) {
    const end = endOf(lines, at, (each) => quoted.test(each))
    const inner = lines.slice(at, end).map((each) => each.replace(quoted, ''))
    return [{ kind: 'quote', blocks: parse(inner, depth + 1) }, end]
  }
  if (item.test(line) && depth < deepest) return listAt(lines, at, depth)
  if (line.includes('|') && divider.test(lines[at + 1] ?? '') && (lines[at + 1] ?? '').includes('|'))
    return tableAt(lines, at)
  const end = Math.max(
    at + 1,
    endOf(lines, at, (each, place) => isPlain(each) || place === at),
  )
  return [{ kind: 'paragraph', text: lines.slice(at, end).join('\n') }, end]
}

function codeAt(lines: readonly string[], at: number, language: string): [Block, number] {
  const open = lines[at]?.trim() ?? ''
  const length = lines.slice(at + 1).findIndex((line) => closes(line, open))
  const end = length < 0 ? lines.length : at + 1 + length
  return [{ kind: 'code', language, text: lines.slice(at + 1, end).join('\n') }, end + 1]
}

/** Items of one list: what follows a mark, and whatever is indented below it. */
function listAt(lines: readonly string[], from: number, depth: number): [Block, number] {
  const isNumbered = (line: string) => /^\s*\d/.test(line)
  const numbered = isNumbered(lines[from] ?? '')
  const items: Block[][] = []
  let at = from
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const [mark] = item.exec(line) ?? []
    if (mark === undefined || rule.test(line) || isNumbered(line) !== numbered) break
    const width = Math.min(mark.length, mark.trimEnd().length + 1)
    let end = at + 1
    while (end < lines.length && belongs(lines, end, width)) end += 1
    const inner = lines
      .slice(at, end)
      .map((each, index) => (index === 0 ? each.slice(mark.length) : dedent(each, width)))
    items.push(parse(inner, depth + 1))
    at = end
    while (lines[at]?.trim() === '' && item.test(lines[at + 1] ?? '')) at += 1
  }
  const start = numbered ? Number.parseInt(lines[from]?.trim() ?? '1', 10) : null
  return [{ kind: 'list', start, items }, at]
}

function belongs(lines: readonly string[], at: number, width: number): boolean {
  const line = lines[at] ?? ''
  if (line.trim() === '')
    return indentOf(lines[at + 1] ?? '') >= Math.min(width, 2) && (lines[at + 1] ?? '').trim() !== ''
  if (indentOf(line) >= Math.min(width, 2)) return true
  // Words that go on without an indent, as models like to write them.
  return isPlain(line) && (lines[at - 1] ?? '').trim() !== ''
}

const indentOf = (line: string): number => line.length - line.trimStart().length
const dedent = (line: string, width: number): string => line.slice(Math.min(width, indentOf(line)))

function tableAt(lines: readonly string[], at: number): [Block, number] {
  const end = endOf(lines, at + 2, (line) => line.includes('|') && line.trim() !== '')
  const [head = [], ...rows] = [lines[at] ?? '', ...lines.slice(at + 2, end)].map(cellsOf)
  return [{ kind: 'table', head, rows }, end]
}

const cellsOf = (line: string): string[] =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))

const isPlain = (line: string): boolean =>
  line.trim() !== '' &&
  !fence.test(line) &&
  !heading.test(line) &&
  !rule.test(line) &&
  !quoted.test(line) &&
  !item.test(line)

function endOf(
  lines: readonly string[],
  from: number,
  goesOn: (line: string, at: number) => boolean,
): number {
  let at = from
  while (at < lines.length && goesOn(lines[at] ?? '', at)) at += 1
  return at
}
