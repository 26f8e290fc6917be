import type { Command, CommandValue } from '#contract/discovery.ts'
import { newCommand, newValue } from './command.ts'
import { commandsIn } from './help-commands.ts'
import type { NamedCommand } from './help-commands.ts'
import { choicesIn, optionsIn, specIn } from './help-options.ts'
import { linesOf, sectionsOf } from './help-text.ts'
import type { HelpLine, Section } from './help-text.ts'
import { usageIn } from './help-usage.ts'

export interface ReadHelp {
  command: Command
  /** Those one level below; their own help says more of them. */
  below: NamedCommand[]
}

/** What a help text says, without knowing what has written it. `words` are the program and those of the command. */
export function readHelp(text: string, words: readonly string[]): ReadHelp {
  const lines = linesOf(text)
  const sections = sectionsOf(lines)
  const of = (kind: Section['kind']) => sections.filter((section) => section.kind === kind)
  const usage = usageIn(
    of('usage').flatMap((section) => section.lines),
    words,
  )
  const listed = of('commands').flatMap((section) => commandsIn(section.lines, words.join(' ')))
  const args = of('arguments').flatMap((section) => argumentsIn(section.lines))
  // argparse lists its commands among the positional arguments.
  const braced = of('arguments').flatMap((section) => bracedIn(section.lines, words.join(' ')))
  const objects = objectsIn(lines)
  const below = distinct([
    ...objects,
    ...listed,
    ...braced,
    ...usage.commands.map(([word = '']) => ({ word, description: '' })),
  ])
  const isDispatch = below.length > 0 && (usage.hasCommand || braced.length > 0)
  const positionals = isDispatch ? [] : described(usage.positionals, args)
  const command = newCommand(words.slice(1), {
    description: descriptionIn(sections, words),
    options: optionsIn(lines),
    positionals,
  })
  return { command, below }
}

/** `OBJECT := { address | link | route }`, as iproute2 has it. */
function objectsIn(lines: readonly HelpLine[]): NamedCommand[] {
  const text = lines.map((line) => line.text).join(' ')
  const [, inner = ''] = /\b(?:OBJECT|COMMAND)\s*:=\s*\{([^}]*)\}/.exec(text) ?? []
  return inner
    .split('|')
    .map((word) => ({ word: word.trim(), description: '' }))
    .filter(({ word }) => /^[a-z][\w-]*$/.test(word))
}

function distinct(commands: readonly NamedCommand[]): NamedCommand[] {
  const known = new Map<string, NamedCommand>()
  for (const one of commands)
    if (one.word !== '' && !known.get(one.word)?.description) known.set(one.word, one)
  return [...known.values()]
}

function bracedIn(lines: readonly HelpLine[], program: string): NamedCommand[] {
  const at = lines.findIndex(({ text }) => /^\{[\w.:+,-]+\}/.test(text) || /^(sub)?command$/i.test(text))
  if (at === -1) return []
  const own = commandsIn(
    lines.slice(at + 1).filter(({ indent }) => indent > lines[at]!.indent),
    program,
  )
  const [, inner = ''] = /^\{([^}]+)\}/.exec(lines[at]!.text) ?? []
  const names = inner.split(',').filter(Boolean)
  return names.length === 0
    ? own
    : names.map((word) => own.find((one) => one.word === word) ?? { word, description: '' })
}

/** `<FILE>...   What to read`, `path   Where`. */
function argumentsIn(lines: readonly HelpLine[]): CommandValue[] {
  const first = lines.find(({ text }) => text !== '')
  return lines.flatMap(({ text, indent }) => {
    if (indent !== first?.indent || specIn(text)) return []
    const [, name, dots, description = ''] =
      /^([[<]*[A-Za-z][\w|-]*[\]>]*)(\.\.\.)?(?:\s{2,}(\S.*))?$/.exec(text) ?? []
    if (name === undefined) return []
    return newValue(name.replaceAll(/[[\]<>]/g, '').toLowerCase(), {
      description,
      isOptional: name.startsWith('['),
      isVariadic: dots !== undefined,
      choices: choicesIn(description),
    })
  })
}

function described(used: readonly CommandValue[], listed: readonly CommandValue[]): CommandValue[] {
  if (used.length === 0) return [...listed]
  return used.map((value) => {
    const more = listed.find(({ name }) => name === value.name)
    return more
      ? {
          ...value,
          description: more.description,
          choices: value.choices.length > 0 ? value.choices : more.choices,
        }
      : value
  })
}

/** The first sentence that is none of its parts. */
function descriptionIn(sections: readonly Section[], [program = '']: readonly string[]): string {
  const lines = sections
    .filter(({ kind }) => kind === 'other' || kind === 'usage')
    .flatMap((section) => section.lines)
  const isSentence = ({ text, indent }: HelpLine) =>
    indent < 4 &&
    /^[A-Z][a-z]*\s+\S+\s+\S/.test(text) &&
    !text.startsWith(program) &&
    !/^(usage|try|run|use)\b|:$/i.test(text)
  return lines.find(isSentence)?.text ?? ''
}
