import { inside } from '#contract/host.ts'
import { ToolRefused } from '#lib/tool-refused.ts'

// Patterns over names become regular expressions that ripgrep and JavaScript read alike: every character with a meaning is
// written by its number.

/** For a whole path from the root. Throws ToolRefused. */
export function patternOfNames(type: 'glob' | 'regex' | 'exact', pattern: string): string {
  if (type === 'regex') return pattern
  const path = pattern.replace(/^\.\/+/, '').replace(new RegExp(`^(?:${inside.root})?/`), '')
  const source = type === 'exact' ? literal(path) : sourceOf(path)
  return pattern.includes('/') ? `^${source}$` : `^(?:.*/)?${source}$`
}

const literal = (text: string): string =>
  text.replaceAll(
    /[^\w\u0080-\u{10ffff}]/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )

function sourceOf(glob: string): string {
  const pieces: string[] = []
  let depth = 0
  // `**/` is any number of folders, also none; the others are what shells make of them.
  const words = /\*\*\/|\/\*\*$|\*+|\\.|\[!?\]?(?:\\.|[^\]\\])*\]|./gsu
  for (const [word] of glob.matchAll(words)) {
    if (word === '**/') pieces.push('(?:.*/)?')
    else if (word === '/**') pieces.push('/.*')
    else if (word === '*') pieces.push('[^/]*')
    else if (word.startsWith('*')) pieces.push('.*')
    else if (word === '?') pieces.push('[^/]')
    else if (word.startsWith('[') && word.length > 1) pieces.push(classOf(word))
    else if (word.startsWith('\\') && word.length > 1) pieces.push(literal(word.slice(1)))
    else if (word === '{') {
      depth += 1
      pieces.push('(?:')
    } else if (word === '}' && depth > 0) {
      depth -= 1
      pieces.push(')')
    } else if (word === ',' && depth > 0) pieces.push('|')
    else if (word === '[') throw badPattern('a [ has no ]')
    else pieces.push(literal(word))
  }
  if (depth > 0) throw badPattern('a { has no }')
  return pieces.join('')
}

/** `[a-z]`, `[!a]`: one character, but never the slash. */
function classOf(word: string): string {
  const isNot = word.startsWith('[!')
  const members = word
    .slice(isNot ? 2 : 1, -1)
    .replaceAll(/\\(.)/gsu, '$1')
    .split(/(?<!^)-(?!$)/)
    .map(literal)
    .join('-')
  return isNot ? `[^\\x2f${members}]` : `[${members}]`
}

export const badPattern = (reason: string): ToolRefused =>
  new ToolRefused('bad_pattern', `The pattern cannot be understood: ${reason}`, { reason })
