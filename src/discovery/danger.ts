import { basename } from 'node:path'
import type { ProgramSchema } from '#contract/discovery.ts'
import { phraseLevel } from './danger-phrases.ts'
import { programs, switches, verbs } from './danger-words.ts'

// 0 reads, 1 changes something, 2 is dangerous, 3 destroys. Nothing here looks at the machine: names decide, and what
// nobody has said anything about may change something.

/** Of a program of which only the name is known. */
export function dangerOfProgram(name: string): number {
  return toldOf(name) ?? 1
}

/** The same by what its links lead to, too: `tidy` may be a link to `rm`. The worse of the two counts. */
export function dangerOfFile({ name, realPath }: Linked): number {
  const real = realNameOf({ name, realPath })
  return Math.max(dangerOfProgram(name), (real !== undefined && toldOf(real)) || 0)
}

interface Linked {
  name: string
  realPath: string
}

/** They do what they are called, as far as they know the name: `ls` may be a link to `busybox`. */
const manyNamed = new Set(['busybox', 'toybox', 'coreutils', 'snap', 'killall5'])

/** Another name for it, that says more of it than the one by which it is called. */
function realNameOf({ name, realPath }: Linked): string | undefined {
  const real = basename(realPath)
  const isNamed = manyNamed.has(real) && toldOf(name) !== undefined
  return real === name || isNamed ? undefined : real
}

function toldOf(name: string): number | undefined {
  const plain = withoutVersion(name)
  if (/^(mkfs|fsck)(\.|$)/.test(plain)) return 3
  return level(programs, plain) ?? phraseLevel(plain, '')
}

/** Of a command: its words without the program's name; none is the program itself. */
export function dangerOfCommand(program: string, words: readonly string[]): number {
  const name = withoutVersion(program)
  if (words.length === 0) return dangerOfProgram(name)
  const plain = words.map((word) => word.toLowerCase())
  for (let length = plain.length; length > 0; length -= 1) {
    const told = phraseLevel(name, plain.slice(0, length).join(' '))
    if (told === undefined) continue
    return length === plain.length ? told : Math.max(told, ...plain.slice(length).map(worst))
  }
  if (isReading(plain.at(-1)!)) return 0
  const most = Math.max(...plain.map(worst))
  return most > 1 ? most : Math.max(1, dangerOfProgram(name))
}

/** What a command becomes with this option; 0 where it adds nothing. */
export function dangerOfOption(
  program: string,
  words: readonly string[],
  { names, description }: { names: readonly string[]; description: string },
): number {
  const name = withoutVersion(program)
  const command = words.map((word) => word.toLowerCase()).join(' ')
  const told = names.flatMap(
    (option) => phraseLevel(name, `${command} ${option}`.trim()) ?? phraseLevel(name, option) ?? [],
  )
  if (told.length > 0) return Math.max(...told)
  return Math.max(0, ...names.map(ofName), ofDescription(names, description))
}

/** The same schema, with what each of its commands and options can do, by the worse of a program's names. */
export function withDanger(program: Linked, schema: ProgramSchema): ProgramSchema {
  const real = realNameOf(program)
  const names = [program.name, ...(real === undefined ? [] : [real])]
  const commands = schema.commands.map((command) => ({
    ...command,
    danger:
      command.words.length === 0
        ? dangerOfFile(program)
        : Math.max(...names.map((name) => dangerOfCommand(name, command.words))),
    options: command.options.map((option) => ({
      ...option,
      danger: Math.max(...names.map((name) => dangerOfOption(name, command.words, option))),
    })),
  }))
  return { ...schema, commands }
}

const reading = /^(list|ls|get|show|describe|is|read|view|lookup|search)[-_:.]/

function isReading(word: string): boolean {
  const known = level(verbs, word)
  if (known !== undefined) return known === 0
  return worst(word) === 1 && (reading.test(word) || level(verbs, word.split(':').at(-1)!) === 0)
}

/** The worst of a word and its parts (`delete-stack`, `apps:destroy`), but never less than 1. */
function worst(word: string): number {
  return Math.max(
    1,
    level(verbs, word) ?? Math.max(...word.split(/[-_:.]/).map((part) => level(verbs, part) ?? 1)),
  )
}

function ofName(option: string): number {
  const name = option.replace(/^--?(\[no-?\])?/, '').toLowerCase()
  if (!/^--?\w{2}/.test(option) && !option.startsWith('--[')) return 0
  const known = level(switches, name)
  if (known !== undefined) return known
  const parts = name.split('-')
  if (['no', 'non', 'dont', 'without', 'never', 'disable', 'not'].includes(parts[0]!)) return 0
  return Math.max(0, ...parts.map((part) => levelOfPart(part)))
}

/** In the middle of a longer name only what is truly bad counts: `--output-format` writes nothing. */
const levelOfPart = (part: string): number => {
  const known = level(switches, part) ?? 0
  return known > 1 ? known : 0
}

const harm =
  /^(force|forc(e|ibly|es)\b.*|delete[sd]?\b.*|remove[sd]? (all|the|every|files?|source)\b.*|overwrites?\b.*|wipe\b.*|discard\b.*|.*\bwithout (asking|prompting|confirmation)\b.*|.*\b(do not|don't|never) prompt\b.*before.*)/i

/** Of an option that has only a letter, what it says of itself is all there is. */
function ofDescription(names: readonly string[], description: string): number {
  return names.every((name) => /^-\w$/.test(name)) && harm.test(description.trim()) ? 2 : 0
}

/** `python3.13` and `mkfs.ext4` differ: only a number at the end is a version. */
const withoutVersion = (name: string): string => name.replace(/(?<=[a-z])-?(\d+\.\d+(\.\d+)*|-\d+)$/, '')

const level = (levels: Readonly<Record<string, number>>, word: string): number | undefined =>
  Object.hasOwn(levels, word) ? levels[word] : undefined
