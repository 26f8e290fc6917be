import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml'
import type { Alias, Document, Node, YAMLError } from 'yaml'
import type { Complaint } from './config-error.ts'
import type { Path } from '#lib/tree.ts'
import { expandVariables } from './variables.ts'

export interface YamlTree {
  value: unknown
  /** What stood where a variable was put in, by the path as JSON. */
  written: ReadonlyMap<string, string>
  /** `line:column` of a value, or of its nearest parent that was written; `key` asks for its key instead. */
  whereIs(path: Path, part: 'key' | 'value'): string
}

// A configuration of ours has some hundred values. Aliases that multiply, or nesting without end, are cut off here.
const MAX_VALUES = 20_000
const MAX_DEPTH = 50
// A file that is no YAML at all can be wrong a hundred thousand times.
const MAX_PROBLEMS = 20

const advice: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'a tab cannot indent here; use spaces',
  DUPLICATE_KEY: 'this key is already written above in the same map; keep one of them',
  MULTIPLE_DOCS: 'a second document begins here; keep everything in one, without `---`',
  NON_STRING_KEY: 'a key must be plain text',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
}

/** Reads text as YAML, putting variables in for `${NAME}` and leaving out keys without a value. */
export function readYaml(
  text: string,
  env: NodeJS.ProcessEnv,
  complain: (place: string, complaint: Omit<Complaint, 'where'>) => void,
): YamlTree {
  const lines = new LineCounter()
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${Math.max(1, line)}:${Math.max(1, col)}`
  }
  const document = parseDocument(text, {
    lineCounter: lines,
    stringKeys: true,
    version: '1.2',
    prettyErrors: false,
  })
  for (const problem of [...document.errors, ...document.warnings].slice(0, MAX_PROBLEMS)) {
    const plain = problem.message.split(' at line ')[0]?.replace(/:$/, '')
    complain(at(problem.pos[0]), { path: '', what: advice[problem.code] ?? plain ?? problem.code })
  }

  const meant = aliasesIn(document)
  const places = new Map<string, { key: number; value: number }>()
  const written = new Map<string, string>()
  let values = 0
  const read = (node: Node | null, path: Path, keyOffset: number): unknown => {
    const offset = node?.range?.[0] ?? keyOffset
    places.set(JSON.stringify(path), { key: keyOffset, value: offset })
    values += 1
    if (values > MAX_VALUES || path.length > MAX_DEPTH) throw new TooMuch(at(offset))
    const target = isAlias(node) ? (meant.get(node) ?? null) : node
    if (isAlias(node) && !target)
      complain(at(offset), { path: showPath(path), what: `refers to &${node.source}, which is not above` })
    if (isMap<Node, Node | null>(target)) {
      const pairs = target.items.flatMap((pair): [string, unknown][] => {
        const key = isScalar(pair.key) ? String(pair.key.value) : ''
        const keyAt = pair.key.range?.[0] ?? offset
        if (key === '__proto__') complain(at(keyAt), { path: '', what: '__proto__ cannot be a key' })
        const value = read(pair.value, [...path, key], keyAt)
        return value === null ? [] : [[key, value]]
      })
      return Object.fromEntries(pairs)
    }
    if (isSeq<Node | null>(target))
      return target.items.map((item, index) => read(item, [...path, index], offset))
    if (!isScalar(target)) return null
    if (typeof target.value !== 'string') return target.value
    const filled = expandVariables(target.value, env, (what) =>
      complain(at(offset), { path: showPath(path), what }),
    )
    if (filled !== target.value) written.set(JSON.stringify(path), target.value)
    return filled
  }

  let value: unknown = {}
  try {
    value = read(document.contents, [], 0) ?? {}
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error
    complain(error.place, { path: '', what: 'the file is too deep, or its aliases make it too large' })
  }
  return {
    value,
    written,
    whereIs: (path, part) => {
      for (let length = path.length; length > 0; length -= 1) {
        const place = places.get(JSON.stringify(path.slice(0, length)))
        if (place) return at(length === path.length ? place[part] : place.key)
      }
      return at(document.contents?.range?.[0] ?? 0)
    },
  }
}

/** What each alias refers to, looked up in one go: to resolve them one by one is to read the document again for each. */
function aliasesIn(document: Document): Map<Alias, Node> {
  const anchors = new Map<string, Node>()
  const meant = new Map<Alias, Node>()
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source)
        if (target) meant.set(node, target)
      } else if (node.anchor !== undefined) anchors.set(node.anchor, node)
    },
  })
  return meant
}

export const showPath = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`
      const key = /^[\w-]+$/.test(String(part)) ? String(part) : JSON.stringify(String(part))
      return index === 0 ? key : `.${key}`
    })
    .join('')

class TooMuch extends Error {
  readonly place: string
  constructor(place: string) {
    super('too much')
    this.place = place
  }
}
