import type { Command, CommandOption, CommandValue, ProgramSchema } from '#contract/discovery.ts'
import { newCommand, newOption, newSchema, newValue } from './command.ts'

// argc scripts tell in comments what they take: `# @cmd Uploads a file`, `# @option --to <HOST>`, `# @flag -f --force`. The function that
// comes after them is the command.

/** What the comments of a script for argc say. Undefined when there are none. */
export function fromArgc(text: string): ProgramSchema | undefined {
  if (!/^#\s*@(cmd|option|flag|arg|describe)\b/m.test(text)) return undefined
  let current: Command = newCommand([])
  const commands = [current]
  for (const line of text.split('\n')) {
    const [, tag, rest = ''] = /^#\s*@(\w+)\s*(.*)$/.exec(line) ?? []
    const [, name] = /^(?:function\s+)?([\w:.-]+)\s*\(\)/.exec(line) ?? []
    if (tag === 'describe') commands[0]!.description = rest
    else if (tag === 'cmd') commands.push((current = newCommand([''], { description: rest })))
    else if (tag === 'option' || tag === 'flag') {
      const option = optionIn(rest, tag)
      if (option) current.options.push(option)
    } else if (tag === 'arg') current.positionals.push(...argumentIn(rest))
    else if (name !== undefined && current.words[0] === '')
      current.words = name.split('::').map((word) => word.replaceAll('_', '-'))
  }
  const named = commands.filter(({ words }) => words[0] !== '')
  return newSchema('argc', named)
}

const modifiers = /([!*+])?(?:(\[[^\]]*\])|(=\S+))?$/

function optionIn(text: string, tag: 'option' | 'flag'): CommandOption | undefined {
  const words = text.split(/\s+/)
  const end = words.findIndex((word) => !/^[-+]/.test(word))
  const told = words.slice(0, end === -1 ? words.length : end)
  const [, mark, choices] = modifiers.exec(told.at(-1) ?? '') ?? []
  const names = told.map((word) => word.replace(modifiers, '').replace(/[=:]$/, ''))
  if (names.length === 0) return undefined
  const rest = words.slice(told.length)
  const places =
    tag === 'flag' ? [] : rest.filter((word, at) => rest.slice(0, at + 1).every((one) => /^<.*>$/.test(one)))
  return newOption(names, {
    description: rest.slice(places.length).join(' '),
    value: tag === 'flag' ? null : newValue(places[0] ?? 'value', { choices: choicesIn(choices) }),
    isRepeatable: mark === '*' || mark === '+',
    isRequired: mark === '!' || mark === '+',
  })
}

function argumentIn(text: string): CommandValue[] {
  const [, name, mark, choices, , rest = ''] =
    /^([\w-]+)([!*+~])?(\[[^\]]*\])?(=\S+)?\s*(.*)$/.exec(text) ?? []
  if (name === undefined) return []
  return [
    newValue(name, {
      description: rest.replace(/^<[^>]*>\s*/, ''),
      isOptional: mark === undefined || mark === '*',
      isVariadic: mark === '*' || mark === '+' || mark === '~',
      choices: choicesIn(choices),
    }),
  ]
}

/** `[=a|b]` has a default; in backquotes there is a function that would have to be run. */
function choicesIn(told: string | undefined): string[] {
  if (told === undefined || told.includes('`')) return []
  return told.slice(1, -1).replace(/^[=?]/, '').split('|').filter(Boolean)
}
