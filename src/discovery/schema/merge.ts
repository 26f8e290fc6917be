import type { Command, CommandOption, ProgramSchema } from '#contract/discovery.ts'
import { newSchema } from './command.ts'

/** The first, with what only the second knows: commands that came later, what a command takes, what an option means. */
export function merge(first: ProgramSchema, second: ProgramSchema): ProgramSchema {
  const others = new Map(second.commands.map((command) => [keyOf(command), command]))
  const known = new Set(first.commands.map(keyOf))
  const both = first.commands.map((command) => {
    const other = others.get(keyOf(command))
    return other ? mergeCommand(command, other) : command
  })
  const added = second.commands.filter((command) => !known.has(keyOf(command)))
  return newSchema(first.source, [...both, ...added], first.leftOut)
}

const keyOf = ({ words }: Command): string => words.join(' ')

function mergeCommand(first: Command, second: Command): Command {
  const isWhole = first.words.length === 0
  const options =
    first.options.length > 0
      ? first.options.map((option) => mergeOption(option, second.options))
      : second.options
  const named = new Set(options.flatMap(({ names }) => names))
  const more = second.options.filter(({ names }) => !names.some((name) => named.has(name)))
  return {
    ...first,
    description: first.description || second.description,
    options: isWhole || first.options.length > 0 ? [...options, ...more] : options,
    positionals: first.positionals.length > 0 ? first.positionals : second.positionals,
  }
}

function mergeOption(first: CommandOption, others: readonly CommandOption[]): CommandOption {
  const other = others.find(({ names }) => names.some((name) => first.names.includes(name)))
  if (!other) return first
  const choices = other.value?.choices ?? []
  const value =
    first.value && first.value.choices.length === 0 && choices.length > 0
      ? { ...first.value, choices }
      : first.value
  return { ...first, description: first.description || other.description, value }
}
