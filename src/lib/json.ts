export type JsonFault = {
  /** `broken` is not JSON at all; the others are JSON that two readers could understand differently. */
  kind: 'broken' | 'duplicate_key' | 'forbidden_key' | 'too_deep'
  reason: string
  line: number
  column: number
  /** Where in the value, as `tasks.0.title`; empty at the top. */
  path: string
}

type Level = { keys: Set<string> | undefined; place: string | number }

const quote = 0x22
const backslash = 0x5c
const gap = /[ \t\n\r]*/y
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Finds what JSON.parse would let through or explain badly: a key said twice, nesting beyond `deepest`, a `__proto__`
 * key, and broken syntax with its place. Keeps its own stack, so no depth of input can overflow ours.
 */
export function faultInJson(json: string, deepest = 64): JsonFault | undefined {
  const levels: Level[] = []
  let at = 0

  const fault = (kind: JsonFault['kind'], reason: string): JsonFault => ({
    kind,
    reason,
    ...lineAndColumn(json, at),
    path: levels.map((level) => level.place).join('.'),
  })
  const broken = (expected: string) =>
    fault(
      'broken',
      at < json.length ? `expected ${expected}` : `expected ${expected}, but the text ends here`,
    )
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(json)?.[0]
    if (found) at += found.length
    return found
  }
  const takeMark = (mark: string): boolean => {
    take(gap)
    if (json[at] !== mark) return false
    at += 1
    return true
  }

  // By hand: one pattern for a whole string overflows the stack of regular expressions when it is long.
  const string = (): string | undefined => {
    const start = at
    if (!takeMark('"')) return undefined
    for (let code = json.charCodeAt(at); code >= 0x20; code = json.charCodeAt(at)) {
      if (code === quote) return json.slice(start, ++at)
      if (code !== backslash) at += 1
      else if (!take(escape)) break
    }
    at = start
    return undefined
  }

  /** Reads `"key":` into the innermost object. */
  const key = (level: Level): JsonFault | undefined => {
    take(gap)
    const start = at
    const written = string()
    if (written === undefined) return broken('a key in double quotes')
    const name: string = JSON.parse(written)
    level.place = name
    const seen = level.keys?.has(name)
    level.keys?.add(name)
    if (seen || name === '__proto__') {
      at = start
      return seen
        ? fault('duplicate_key', 'is there twice')
        : fault('forbidden_key', 'is not a name that a field can have')
    }
    return takeMark(':') ? undefined : broken('":"')
  }

  /** Reads a scalar whole, or opens an object or array; says whether a value is complete. */
  const value = (): JsonFault | boolean => {
    const isObject = takeMark('{')
    if (!isObject && !takeMark('[')) {
      return string() !== undefined || take(scalar) !== undefined || broken('a value')
    }
    if (levels.length === deepest) {
      at -= 1
      return fault('too_deep', `is nested deeper than ${deepest} levels`)
    }
    if (takeMark(isObject ? '}' : ']')) return true
    const level: Level = { keys: isObject ? new Set() : undefined, place: 0 }
    levels.push(level)
    return (isObject && key(level)) || false
  }

  /** After a complete value: closes what ends here, and goes on to the next value, if there is one. */
  const follow = (): JsonFault | 'value' | 'end' => {
    for (let level = levels.at(-1); level; level = levels.at(-1)) {
      if (takeMark(',')) {
        if (level.keys) return key(level) ?? 'value'
        level.place = Number(level.place) + 1
        return 'value'
      }
      if (!takeMark(level.keys ? '}' : ']')) return broken(level.keys ? '"," or "}"' : '"," or "]"')
      levels.pop()
    }
    take(gap)
    return at === json.length ? 'end' : broken('nothing more')
  }

  for (;;) {
    const read = value()
    if (typeof read === 'object') return read
    if (!read) continue
    const next = follow()
    if (typeof next === 'object') return next
    if (next === 'end') return undefined
  }
}

function lineAndColumn(json: string, at: number): { line: number; column: number } {
  const before = json.slice(0, at)
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') }
}
