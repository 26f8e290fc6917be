import type { CreateCapability } from '#contract/capability.ts'
import type { Command, CommandOption, ProgramSchema } from '#contract/discovery.ts'
import { argumentsOf } from './capability-args.ts'
import { handMade } from './everyday-forms.ts'
import { joinsAll, takesDashes, withPlaces } from './known-places.ts'

const mostOptions = 60
const mostCapabilities = 300
/** What no form is for: the answer would be help, or a question to a terminal that is not there. */
const senseless = new Set(['--help', '--tty', '-help', '--interactive-tty'])

/** What `x-flag` of a template takes: ls of some systems has a `-,` too, and would be lost with it. */
const flag = /^-{1,2}[A-Za-z0-9?][A-Za-z0-9_.:+-]*$/

/**
 * What a program becomes when somebody says yes: one capability for each command. What is more dangerous than the command itself
 * is not offered there but in a second one: `push` never forces, `push.force` needs a person's yes.
 */
export function capabilitiesOf(
  name: string,
  schema: ProgramSchema | null,
  danger: number,
): CreateCapability[] {
  const commands = schema?.commands ?? []
  const found = [...handMade(name), ...commands.flatMap((command) => forCommand(name, command, commands))]
  const all = found.length > 0 ? found : [unknown(name, danger)]
  return unique(all).slice(0, mostCapabilities)
}

function forCommand(name: string, command: Command, all: readonly Command[]): CreateCapability[] {
  const below = all.filter(({ words }) => isBelow(words, command.words))
  const offered = command.options
    .filter(({ names }) => !names.some((one) => senseless.has(one)) && flag.test(names[0]!))
    .map((option) =>
      option.value && joinsAll(name) && option.names[0]!.startsWith('--')
        ? { ...option, isJoined: true }
        : option,
    )
  // With commands below, what comes first is one of them: it would be another command than this one.
  const isGroup = below.length > 0 && command.words.length === 0
  const positionals = isGroup ? [] : command.positionals
  if (below.length > 0 && command.words.length > 0 && positionals.length + offered.length === 0) return []
  const plain = { ...command, positionals }
  const mild = offered.filter((option) => option.danger <= command.danger)
  const harsh = offered.filter((option) => option.danger > command.danger)
  const others = below.map(({ words }) => words[command.words.length] ?? '')
  const first = build(name, plain, { options: mild, others, level: command.danger, suffix: '' })
  if (harsh.length === 0) return [first]
  const level = Math.max(...harsh.map((option) => option.danger))
  return [
    first,
    build(name, plain, { options: [...harsh, ...mild], others, level, suffix: suffixOf(harsh, level) }),
  ]
}

interface Built {
  options: readonly CommandOption[]
  /** The words that would make another command of it. */
  others: readonly string[]
  level: number
  suffix: string
}

function build(name: string, command: Command, { options, others, level, suffix }: Built): CreateCapability {
  const line = [name, ...command.words].join(' ')
  const chosen = mostUseful(options)
  const args = argumentsOf(chosen, command.positionals)
  const [first] = Object.keys(args.properties)
  if (first && others.length > 0 && command.positionals.length > 0) exclude(args.properties[first]!, others)
  const withDashes = args.positionals.length > 0 && takesDashes(name, command.words)
  const plain = [name, ...command.words, ...args.options, ...(withDashes ? ['--'] : []), ...args.positionals]
  const placed = withPlaces(line, { tokens: plain, ...args }, suffix === '')
  return {
    key: keyOf(command.words.length > 0 ? command.words : ['run'], suffix),
    label: labelOf(line + (suffix && ` (${suffix})`), command.description),
    interactionMode: 'template',
    commandTokens: placed.tokens,
    promptTemplate: null,
    argsSchema: {
      type: 'object',
      properties: placed.properties,
      ...(placed.required.length > 0 && { required: placed.required }),
    },
    dangerLevel: Math.max(level, command.danger),
    annotations: {},
    timeoutSec: 300,
    maxOutputBytes: 10_485_760,
  }
}

/** Nothing is known of it but its name. */
function unknown(name: string, danger: number): CreateCapability {
  const words = {
    name: 'args',
    description: 'What it is started with, one word each',
    type: 'string' as const,
  }
  const args = { ...words, isOptional: true, isVariadic: true, choices: [] }
  const command = { words: [], description: '', options: [], positionals: [args], danger }
  return build(name, command, { options: [], others: [], level: danger, suffix: '' })
}

const isBelow = (words: readonly string[], upper: readonly string[]): boolean =>
  words.length === upper.length + 1 && upper.every((word, at) => word === words[at])

/** Those that have to be there first, then those that say what they are for. */
const mostUseful = (options: readonly CommandOption[]): CommandOption[] =>
  options.length <= mostOptions
    ? [...options]
    : options.toSorted((one, other) => worth(other) - worth(one)).slice(0, mostOptions)

/** In whatever program, these are what people come for. */
const everyday = new Set(
  `all branch count detach dry-run env file filter follow force format include input limit lines message name namespace number output
  path publish quiet recursive rm since sort tag timeout type url user verbose version workdir`.split(/\s+/),
)

const worth = ({ isRequired, danger, description, names }: CommandOption): number =>
  Number(isRequired) * 16 +
  Number(danger > 1) * 8 +
  Number(names.some((name) => everyday.has(name.replace(/^--/, '')))) * 4 +
  Number(description !== '') * 2 +
  Number(names.some((name) => /^-\w$/.test(name)))

function exclude(property: Record<string, unknown>, words: readonly string[]): void {
  const not = { enum: [...new Set(words)] }
  // Of several only the first could be one; but a list has one schema for all of its items.
  if (property['type'] === 'array') property['items'] = { ...(property['items'] as object), not }
  else property['not'] = not
}

function suffixOf(harsh: readonly CommandOption[], level: number): string {
  const [first = '', ...more] = harsh.map(({ names }) => names[0]!.replace(/^-+/, ''))
  if (more.length === 0) return first
  if ([first, ...more].includes('force')) return 'force'
  return level > 1 ? 'dangerous' : 'write'
}

const keyOf = (words: readonly string[], suffix: string): string =>
  [...words, ...(suffix === '' ? [] : [suffix])]
    .map(
      (word) =>
        word
          .toLowerCase()
          .replaceAll(/[^a-z0-9_-]+/g, '-')
          .replaceAll(/^[-_]+|[-_]+$/g, '') || 'x',
    )
    .join('.')
    .slice(0, 100)

const labelOf = (line: string, description: string): string =>
  (description === '' ? line : `${line}: ${description}`).slice(0, 200).trim()

/** The program itself gives way where one of its commands has the same key. */
function unique(capabilities: readonly CreateCapability[]): CreateCapability[] {
  const taken = new Set<string>()
  const isTaken = new Set(capabilities.slice(1).map(({ key }) => key))
  return capabilities.map((capability, at) => {
    let key = at === 0 && isTaken.has(capability.key) ? 'itself' : capability.key
    for (let number = 2; taken.has(key); number += 1) key = `${capability.key.slice(0, 95)}-${number}`
    taken.add(key)
    return { ...capability, key }
  })
}
