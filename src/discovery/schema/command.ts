import type {
  Command,
  CommandOption,
  CommandValue,
  ProgramSchema,
  SchemaSource,
} from '#contract/discovery.ts'

// What every source has in common: how a command, an option and a value are written down, and how much of each there may be.

export const mostCommands = 600
export const mostOptions = 200
const mostPositionals = 20
const mostChoices = 100
const longestText = 300

export function newValue(name: string, more: Partial<CommandValue> = {}): CommandValue {
  const plain = tidy(name).replaceAll(/^[<[{(]+|[>\]})]+$/g, '') || 'value'
  return {
    name: plain.slice(0, 60),
    type: typeOf(plain),
    isOptional: false,
    isVariadic: false,
    ...more,
    description: tidy(more.description ?? ''),
    choices: (more.choices ?? []).slice(0, mostChoices),
  }
}

export function newOption(names: readonly string[], more: Partial<CommandOption> = {}): CommandOption {
  return {
    value: null,
    isJoined: false,
    isRepeatable: false,
    isRequired: false,
    danger: 0,
    ...more,
    names: longFirst(names),
    description: tidy(more.description ?? ''),
  }
}

export const newCommand = (words: readonly string[], more: Partial<Command> = {}): Command => ({
  options: [],
  positionals: [],
  danger: 0,
  ...more,
  words: [...words],
  description: tidy(more.description ?? ''),
})

/** As much of it as there may be, each command and each option once. What is left out is counted. */
export function newSchema(source: SchemaSource, commands: readonly Command[], leftOut = 0): ProgramSchema {
  const once = [
    ...new Map(commands.toReversed().map((one) => [one.words.join(' '), one])).values(),
  ].toReversed()
  const kept = once.slice(0, mostCommands).map((command) => {
    const options = distinct(command.options)
    leftOut += Math.max(0, options.length - mostOptions)
    return {
      ...command,
      options: options.slice(0, mostOptions),
      positionals: command.positionals.slice(0, mostPositionals),
    }
  })
  return { source, commands: kept, leftOut: leftOut + once.length - kept.length }
}

/** Without those whose first name another one has already. */
function distinct(options: readonly CommandOption[]): CommandOption[] {
  const taken = new Set<string>()
  return options.filter(({ names }) => {
    if (names.some((name) => taken.has(name))) return false
    for (const name of names) taken.add(name)
    return true
  })
}

/** One line, without what would move the cursor of whoever prints it. */
export function tidy(text: string): string {
  const line = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\uFFFD]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > longestText ? `${line.slice(0, longestText - 1)}…` : line
}

const longFirst = (names: readonly string[]): string[] =>
  [...new Set(names)].toSorted(
    (one, other) => Number(isLong(other)) - Number(isLong(one)) || other.length - one.length,
  )

const isLong = (name: string): boolean => name.startsWith('--')

function typeOf(name: string): CommandValue['type'] {
  if (/^(u?int(eger)?(8|16|32|64)?|float(32|64)?|number|port)$/i.test(name)) return 'number'
  return /(file|path|dir|directory|folder)(name|s)?$/i.test(name) ? 'path' : 'string'
}
