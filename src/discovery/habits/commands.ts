const deepest = 8
/** A command longer than this is a text that somebody has pasted. */
const longest = 16 * 1024

/**
 * The commands of a line as a shell would part them, each as its words without quotes: at `|`, `&&`, `;`, and within `$(…)` and backticks.
 * Nothing is looked up and nothing is put in: it only reads. What is never closed ends with the line.
 */
export function commandsIn(line: string, depth = 0): string[][] {
  if (depth > deepest || line.length > longest) return []
  const commands: string[][] = []
  let words: string[] = []
  let word: string | undefined
  /** Once something is never closed, what would close it is not looked for again: a line of nothing but `$(` stays cheap. */
  let isClosed = true
  const endWord = () => {
    if (word !== undefined) words.push(word)
    word = undefined
  }
  const endCommand = () => {
    endWord()
    if (words.length > 0) commands.push(words)
    words = []
  }
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at]!
    const inner = isClosed ? innerAt(line, at) : undefined
    if (inner === 'open') isClosed = false
    if (typeof inner === 'object') {
      commands.push(...commandsIn(inner.text, depth + 1))
      word = `${word ?? ''}$()`
      at = inner.end
    } else if (sign === '\\') {
      at += 1
      if (line[at] !== '\n') word = (word ?? '') + (line[at] ?? '')
    } else if (sign === "'" || sign === '"') {
      const quoted = quotedAt(line, at)
      if (sign === '"')
        for (const command of nestedIn(quoted.text)) commands.push(...commandsIn(command, depth + 1))
      word = (word ?? '') + quoted.text
      at = quoted.end
    } else if (sign === '#' && word === undefined) {
      const end = line.indexOf('\n', at)
      at = end === -1 ? line.length : end - 1
    } else if (/[<>]/.test(sign)) {
      // Where to and where from is no word of the command: `2>&1`, `> file`, `<<< text`.
      if (word !== undefined && /^\d+$/.test(word)) word = undefined
      endWord()
      at = afterRedirection(line, at) - 1
    } else if (/[|&;\n()]/.test(sign) || (word === undefined && isBrace(line, at))) endCommand()
    else if (/\s/.test(sign)) endWord()
    else word = (word ?? '') + sign
  }
  endCommand()
  return commands
}

/** What stands within `$(…)` or backticks that begin here; `open` when they never end. */
function innerAt(line: string, at: number): { text: string; end: number } | 'open' | undefined {
  if (line[at] === '`') {
    const end = line.indexOf('`', at + 1)
    return end === -1 ? 'open' : { text: line.slice(at + 1, end), end }
  }
  if (line[at] !== '$' || line[at + 1] !== '(' || line[at + 2] === '(') return undefined
  let open = 0
  for (let end = at + 1; end < line.length; end += 1) {
    if (line[end] === '\\') end += 1
    else if (line[end] === "'") end = quotedAt(line, end).end
    else if (line[end] === '(') open += 1
    else if (line[end] === ')') {
      open -= 1
      if (open === 0) return { text: line.slice(at + 2, end), end }
    }
  }
  return 'open'
}

/** `{ git log; }` groups commands; `{}` and `{a,b}` are words. */
const isBrace = (line: string, at: number): boolean =>
  line[at] === '}' || (line[at] === '{' && /\s/.test(line[at + 1] ?? ' '))

function* nestedIn(text: string): Iterable<string> {
  for (let at = 0; at < text.length; at += 1) {
    const inner = innerAt(text, at)
    if (inner === 'open') return
    if (!inner) continue
    yield inner.text
    at = inner.end
  }
}

function quotedAt(line: string, at: number): { text: string; end: number } {
  const quote = line[at]!
  let text = ''
  for (let end = at + 1; end < line.length; end += 1) {
    if (line[end] === quote) return { text, end }
    if (quote === '"' && line[end] === '\\' && /["\\$`\n]/.test(line[end + 1] ?? '')) end += 1
    text += line[end]
  }
  return { text, end: line.length }
}

function afterRedirection(line: string, at: number): number {
  const [all] = /^[<>]+[&|]?\s*(?:&?\d+|-|(?:[^\s|&;()<>'"\\]|\\.|'[^']*'|"[^"]*")*)/.exec(
    line.slice(at, at + 1_000),
  ) ?? ['<']
  return at + Math.max(1, all.length)
}
