import type { CommandValue } from '#contract/discovery.ts'
import { newValue } from './command.ts'
import type { HelpLine } from './help-text.ts'

export interface Usage {
  positionals: CommandValue[]
  /** Commands that only the usage lines tell of, as docopt does. */
  commands: string[][]
  /** Whether one of these is the word for its commands, if it has any. */
  hasCommand: boolean
}

const general = /^(options?|opts?|flags?|switches|global[-_]?options?)$/i
const dispatch = /^(sub-?commands?|commands?|cmd|verb|action|function|applet|module|operation)$/i

/** What the usage lines say: what a command takes besides options. `words` are the program and those of the command. */
export function usageIn(lines: readonly HelpLine[], words: readonly string[]): Usage {
  const all = joined(lines, words[0] ?? '').map((line) => line.split(/\s+/).slice(1).join(' '))
  const below = words.slice(1).join(' ')
  const forms = all.map((form) =>
    (below !== '' && form.startsWith(below) ? form.slice(below.length) : form).trim(),
  )
  const commands = below === '' ? namedIn(forms) : []
  const tokens = forms.map(tokensOf)
  const hasCommand = tokens.some((form) => form.some(({ name }) => dispatch.test(name)))
  const best = tokens.find((form) => form.some(isPositional)) ?? []
  const positionals = commands.length > 0 ? [] : best.filter(isPositional).map(valueOf)
  return { positionals, commands, hasCommand }
}

/** Each usage as one line: those that begin with the program's name, with the lines that go on from them. */
function joined(lines: readonly HelpLine[], program: string): string[] {
  const found: string[] = []
  let begun: number | undefined
  for (const { text, indent } of lines) {
    const plain = text.replace(/^(or|usage)\s*:\s*/i, '').replace(/^\$\s+/, '')
    if (plain === '') {
      begun = undefined
      continue
    }
    const [first = ''] = plain.split(/\s/)
    if (first === program || first.endsWith(`/${program}`)) {
      found.push(plain)
      begun = indent
    } else if (
      begun !== undefined &&
      indent > begun &&
      !/\S\s{2,}\S/.test(plain) &&
      /^([[<({|-]|[A-Z_]+(\.\.\.)?$)/.test(plain)
    )
      found.push(`${found.pop()} ${plain}`)
  }
  return found.slice(0, 60)
}

/** `ship new <name>` and `mine set <x>`: at least two that begin with different plain words. */
function namedIn(forms: readonly string[]): string[][] {
  const named = forms.flatMap((form) => {
    const words = form.split(' ')
    const end = words.findIndex((word) => !/^[a-z][a-z0-9-]+$/.test(word))
    const plain = end === -1 ? words : words.slice(0, end)
    return plain.length > 0 ? [plain.slice(0, 3)] : []
  })
  const areAll = named.length === forms.filter((form) => form !== '' && !/^[[(]?-/.test(form)).length
  return areAll && new Set(named.map(([first]) => first)).size > 1 ? named : []
}

interface Token {
  name: string
  isOptional: boolean
  isVariadic: boolean
  choices: string[]
}

/** Brackets hold together what belongs together; one that begins with an option is no positional. */
function tokensOf(form: string): Token[] {
  const pieces =
    form.match(
      /\[(?:[^[\]]|\[[^[\]]*\])*\](?:\.\.\.|…)?|\([^()]*\)(?:\.\.\.)?|\{[^}]*\}|<[^>]*>(?:\s?\.\.\.|…)?|\S+/g,
    ) ?? []
  const tokens: Token[] = []
  let isValue = false
  for (const piece of pieces) {
    const isOption = /^[[({<]*-/.test(piece)
    if (isOption || isValue) {
      // `-f FILE` outside of brackets: what follows belongs to it.
      isValue = isOption && piece.startsWith('-') && !piece.includes('=')
      continue
    }
    if (/^(\.\.\.|…|\|)$/.test(piece)) {
      const last = tokens.at(-1)
      if (last && piece !== '|') last.isVariadic = true
      continue
    }
    tokens.push(tokenOf(piece))
  }
  return tokens
}

function tokenOf(piece: string): Token {
  const inner = piece
    .replaceAll(/\.\.\.|…/g, ' ')
    .replaceAll(/[[\]<>(){}]/g, ' ')
    .trim()
  const listed = inner.includes('|') || /^\{.*,.*\}$/.test(piece) ? inner.split(/\s*[|,]\s*/) : []
  const isClosed =
    listed.length > 1 && !piece.includes('<') && listed.every((one) => /^[a-z][\w-]*$/.test(one))
  return {
    name: listed.length > 0 ? (listed[0] ?? '') : (inner.split(/\s+/)[0] ?? ''),
    isOptional: piece.startsWith('['),
    isVariadic: /\.\.\.|…/.test(piece),
    choices: isClosed ? listed : [],
  }
}

const isPositional = ({ name }: Token): boolean => /^[A-Za-z][\w.:+/@-]*$/.test(name) && !general.test(name)

const valueOf = ({ name, ...rest }: Token): CommandValue => newValue(name.toLowerCase(), rest)
