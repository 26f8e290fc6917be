import { specIn } from './help-options.ts'
import type { HelpLine } from './help-text.ts'

export interface NamedCommand {
  word: string
  description: string
}

const name = String.raw`[A-Za-z0-9][\w.:+-]*`
const word = new RegExp(String.raw`^${name}$`)

/** The commands that a section lists, in whatever way: under each other with what they do, in columns, or after commas. */
export function commandsIn(lines: readonly HelpLine[], program: string): NamedCommand[] {
  const found: NamedCommand[] = []
  let column: number | undefined
  for (const { text, indent } of lines) {
    if (text === '') continue
    const many = listIn(text)
    if (many) {
      // argparse lists them in braces, and then each of them, deeper.
      if (!text.startsWith('{')) found.push(...many.map((one) => ({ word: one, description: '' })))
      column = undefined
      continue
    }
    const one = specIn(text) ? undefined : commandIn(text, program)
    const isPlace = column === undefined || Math.abs(indent - column) <= 1
    if (one && isPlace) {
      column = indent
      found.push(one)
    } else if (column !== undefined && indent > column && found.length > 0) {
      const last = found.at(-1)!
      if (last.description.length < 200) last.description = `${last.description} ${text}`.trim()
    }
  }
  return found
}

/** `{a,b}`, `a, b, c`, or three and more in columns. */
function listIn(text: string): string[] | undefined {
  const [, braced] = /^\{([^}]+)\}/.exec(text) ?? []
  const parts =
    braced?.split(',') ?? (text.includes(',') ? text.replace(/,$/, '').split(/,\s*/) : text.split(/\s{2,}/))
  const names = parts.map((part) => part.trim())
  if (names.some((part) => !/^[A-Za-z0-9[][\w.:+[-]*$/.test(part))) return undefined
  return braced !== undefined ||
    (names.length > 2 && (text.includes(',') || names.every((part) => part === part.toLowerCase())))
    ? names
    : undefined
}

/** Taken whole or not at all, dots included: were it tried in pieces, a line of many would be tried for ever. */
const upper = String.raw`[A-Z][\w.…|-]*(?![\w.…|-])`
const shapes = [
  // `install, i [options] <pkg>   Installs`, `run*   Runs`, `auth:   Authenticates`
  new RegExp(
    String.raw`^(${name})(?:\*|:)?((?:\s?[,|/]\s?${name})*)((?:\s(?:<[^>]*>|\[[^\]]*\]|${upper}|\.\.\.)(?:\.\.\.|…)?)*)(?:\s{2,}|\s+[-–—]+\s+|:\s+)(\S.*)$`,
  ),
  new RegExp(
    String.raw`^(${name})\*?((?:\s?[,|]\s?${name})*)((?:\s(?:<[^>]*>|\[[^\]]*\]|${upper})(?:\.\.\.|…)?)*)$`,
  ),
]

function commandIn(line: string, program: string): NamedCommand | undefined {
  const text = line.startsWith(`${program} `) ? line.slice(program.length + 1).trimStart() : line
  for (const shape of shapes) {
    const [, first, aliases = '', , description = ''] = shape.exec(text) ?? []
    if (first === undefined) continue
    // Of several names the first that is written out.
    const names = [first, ...aliases.split(/[\s,|/]+/).filter(Boolean)]
    const chosen = names.find((one) => one.length > 2) ?? first
    if (!word.test(chosen) || /^[A-Z][A-Z_]+$/.test(chosen)) return undefined
    return { word: chosen.replace(/[.:]+$/, ''), description }
  }
  return undefined
}
