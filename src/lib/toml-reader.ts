import { putIn } from './toml-table.ts'
import type { Fail, Table } from './toml-table.ts'

const escapes: Record<string, string> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001b',
  '"': '"',
  '\\': '\\',
}
const deepest = 100

/** Reads what stands at a place, and moves on. */
export function openTomlReader(text: string) {
  let at = 0
  let depth = 0
  const fail: Fail = (why) => {
    throw new SyntaxError(`line ${text.slice(0, at).split('\n').length}: ${why}`)
  }
  const takes = (token: string): boolean => {
    skipSpace()
    if (!text.startsWith(token, at)) return false
    at += token.length
    return true
  }
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }
  const skipSpace = () => void match(/[ \t]*/y)
  const skipBlank = () => void match(/(?:\s|#[^\n]*)*/y)
  const expect = (token: string) => takes(token) || fail(`${token} is missing`)

  function keys(): string[] {
    const path: string[] = []
    do {
      skipSpace()
      const key = text[at] === '"' || text[at] === "'" ? string() : match(/[A-Za-z0-9_-]+/y)
      path.push(key ?? fail('a key is missing'))
    } while (takes('.'))
    return path
  }

  function string(): string {
    const quotes = match(/"""|'''|"|'/y) ?? fail('a string is missing')
    const isLong = quotes.length === 3
    if (isLong) match(/\r?\n/y)
    const end = text.indexOf(quotes, at)
    if (quotes.startsWith("'")) {
      const raw = end === -1 ? fail('a string does not end') : text.slice(at, end)
      at = end + quotes.length
      return raw
    }
    let value = ''
    for (;;) {
      if (at >= text.length || (!isLong && text[at] === '\n')) return fail('a string does not end')
      if (text.startsWith(quotes, at)) {
        at += quotes.length
        return value
      }
      if (text[at] === '\\') value += escaped(isLong)
      else value += text[at++]
    }
  }

  function escaped(isLong: boolean): string {
    const code = match(/\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2})/y)
    if (code) return String.fromCodePoint(Number.parseInt(code.slice(2), 16))
    if (isLong && match(/\\[ \t]*\r?\n\s*/y)) return ''
    const letter = match(/\\./y)?.[1] ?? ''
    return escapes[letter] ?? fail(`\\${letter} is not known`)
  }

  function value(): unknown {
    skipSpace()
    if ((depth += 1) > deepest) fail('is too deep')
    try {
      if (takes('[')) return list()
      if (takes('{')) return inlineTable()
      if (text[at] === '"' || text[at] === "'") return string()
      return plain(match(/[^\s,\]}#]+/y) ?? fail('a value is missing'))
    } finally {
      depth -= 1
    }
  }

  function list(): unknown[] {
    const values: unknown[] = []
    for (;;) {
      skipBlank()
      if (takes(']')) return values
      values.push(value())
      skipBlank()
      if (!takes(',') && text[at] !== ']') fail(', or ] is missing')
    }
  }

  function inlineTable(): Table {
    const table: Table = {}
    for (;;) {
      skipBlank()
      if (takes('}')) return table
      const path = keys()
      expect('=')
      putIn(table, path, value(), fail)
      skipBlank()
      if (!takes(',') && text[at] !== '}') fail(', or } is missing')
    }
  }

  /** Dates stay text: no configuration that is read here has one. */
  function plain(word: string): unknown {
    if (word === 'true' || word === 'false') return word === 'true'
    const number = /^[+-]?(?:\d|0[xob]|\.)[\w.+-]*$/.test(word)
      ? Number(word.replaceAll('_', ''))
      : Number.NaN
    return Number.isNaN(number) ? word : number
  }

  return {
    keys,
    value,
    takes,
    expect,
    skipBlank,
    fail,
    isAtEnd: () => at >= text.length,
    endLine: () => match(/[ \t]*(?:#[^\n]*)?(?:\r?\n|$)/y) ?? fail('the line goes on where it should end'),
  }
}
