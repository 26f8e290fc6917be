import { stripVTControlCharacters } from 'node:util'

/** One line of a help text: how far it is indented, and what it says. */
export interface HelpLine {
  indent: number
  text: string
}

export type SectionKind = 'usage' | 'commands' | 'options' | 'arguments' | 'other'

export interface Section {
  kind: SectionKind
  title: string
  lines: HelpLine[]
}

const mostLines = 5_000
/** Nobody reads longer ones, and to look for something in them takes long. */
const longestLine = 4_096
/** A character, and the one that goes back over it. */
const overstruck = new RegExp(`[^\n]${String.fromCharCode(8)}`, 'g')

/** Without colours, bold by overstriking, and what is no text at all. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll(overstruck, '')
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}|\uFFFD/gu, '')
}

export function linesOf(text: string): HelpLine[] {
  return cleanText(text)
    .split('\n', mostLines)
    .map((whole) => {
      const line = whole.slice(0, longestLine)
      const wide = line.replaceAll('\t', '        ').trimEnd()
      const indent = wide.length - wide.trimStart().length
      // A tab between a name and its description is a gap, however wide it is shown.
      return { indent, text: line.trim().replaceAll('\t', '    ') }
    })
}

/** Cuts a help text at its headings. What stands before the first is `other`. */
export function sectionsOf(lines: readonly HelpLine[]): Section[] {
  const sections: Section[] = [{ kind: 'other', title: '', lines: [] }]
  for (const [at, line] of lines.entries()) {
    const last = sections.at(-1)!
    const kind = headingOf(line, lines[at + 1], last.kind)
    if (kind === undefined) last.lines.push(line)
    else sections.push({ kind, title: line.text, lines: restOf(line, kind) })
  }
  return sections
}

/** `usage: git [-v] <command>` is a heading, and what it is about. */
function restOf({ text, indent }: HelpLine, kind: SectionKind): HelpLine[] {
  const [, rest] = kind === 'usage' ? (/^usage\s*:\s*(.+)$/i.exec(text) ?? []) : []
  return rest ? [{ indent: indent + 2, text: rest }] : []
}

function headingOf(
  { indent, text }: HelpLine,
  next: HelpLine | undefined,
  before: SectionKind,
): SectionKind | undefined {
  if (text === '' || text.startsWith('-') || indent > 4) return undefined
  if (/^(usage|synopsis)\b\s*:?/i.test(text) && (indent === 0 || /^(usage|synopsis):?$/i.test(text)))
    return 'usage'
  const isHeading = text.endsWith(':') || /^[A-Z][A-Z \d/()&,-]{2,50}$/.test(text)
  if (indent > 2 || (!isHeading && indent > 0)) return undefined
  const title = text.replace(/\s*\(.*$/, '').replace(/:$/, '')
  if (!isHeading) {
    // Git and openssl group commands under plain lines.
    const isPlain =
      text.length < 70 &&
      !/\s{2,}/.test(text) &&
      !/[.;!]$/.test(text) &&
      next !== undefined &&
      (next.indent > indent || /^(\S+\s{2,}){2,}/.test(next.text))
    if (isPlain && /^[\w ]*\b(sub)?commands?\b[\w ]*$/i.test(title)) return 'commands'
    return isPlain && before === 'commands' && /^[a-z ,]+(\(.*\))?$/.test(text) ? 'commands' : undefined
  }
  if (next !== undefined && next.text !== '' && next.indent < indent) return undefined
  if (
    /\b(examples?|environment|see also|notes?|exit|learn more|aliases|files|authors?|bugs|topics|reporting)\b/i.test(
      title,
    )
  )
    return 'other'
  if (/\b(options?|flags?|switches)\b/i.test(title)) return 'options'
  if (/\b((sub-?)?commands?|verbs|actions|(defined )?functions|applets)\b/i.test(title)) return 'commands'
  if (/\b(arguments?|args|parameters|positionals?|operands?)\b/i.test(title)) return 'arguments'
  return before === 'commands' && /^[a-z]/.test(title) ? 'commands' : 'other'
}
