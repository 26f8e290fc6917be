import type { CommandOption, CommandValue } from '#contract/discovery.ts'

type Property = Record<string, unknown>

/** What a form asks for, and the words of the command that stand for it. */
export interface Arguments {
  properties: Record<string, Property>
  required: string[]
  /** The slots of the options, in their order; then those of the positionals. */
  options: string[]
  positionals: string[]
}

export function argumentsOf(
  options: readonly CommandOption[],
  positionals: readonly CommandValue[],
): Arguments {
  const found: Arguments = { properties: {}, required: [], options: [], positionals: [] }
  const add = (wanted: string, property: Property, isRequired: boolean): string => {
    const name = freeName(wanted, found.properties)
    found.properties[name] = property
    if (isRequired) found.required.push(name)
    return `{{${name}...}}`
  }
  // Positionals first: they are what is asked for, and get the plain names. Only the form is in this order.
  for (const value of positionals)
    found.positionals.push(add(firstOf(value.name), positionalProperty(value), !value.isOptional))
  for (const option of options)
    found.options.push(add(option.names[0] ?? 'option', optionProperty(option), option.isRequired))
  return found
}

function positionalProperty(value: CommandValue): Property {
  const one = typed(value)
  const about = { title: value.name, ...described(value.description) }
  if (!value.isVariadic) return { ...one, ...about }
  return { type: 'array', items: one, ...(!value.isOptional && { minItems: 1 }), ...about }
}

function optionProperty({ names, description, value, isJoined, isRepeatable }: CommandOption): Property {
  const about = {
    title: titleOf(names, value),
    ...described(description || (value?.description ?? '')),
    'x-flag': names[0],
  }
  if (!value) return { type: 'boolean', ...about }
  const joined = isJoined && { 'x-joined': true }
  if (value.isOptional) return { ...withoutValue(value), ...about, ...joined }
  if (isRepeatable) return { type: 'array', items: typed(value), ...about, ...joined }
  return { ...typed(value), ...about, ...joined }
}

/** An option whose value may be left out: true stands for the name alone. */
const withoutValue = ({ choices, type }: CommandValue): Property =>
  choices.length > 0
    ? { enum: [true, ...choices] }
    : { type: ['boolean', type === 'number' ? 'number' : 'string'] }

const texts = /^(message|body|text|prompt|query|data|notes)$/i

function typed({ name, type, choices }: CommandValue): Property {
  if (choices.length > 0) return { enum: [...new Set(choices)] }
  if (type === 'number') return { type: 'number' }
  return { type: 'string', ...(texts.test(name) && { maxLength: 20_000 }) }
}

const described = (description: string): Property => (description === '' ? {} : { description })

const titleOf = (names: readonly string[], value: CommandValue | null): string =>
  names.join(', ') + (value ? ` ${value.isOptional ? `[${value.name}]` : value.name}` : '')

/** `branch, file or commit` is called after the first of them. */
const firstOf = (name: string): string =>
  name
    .split(/,|\||\bor\b/)[0]!
    .trim()
    .toLowerCase() || 'argument'

/** As slots may be called, and nobody is called yet. */
function freeName(wanted: string, taken: Record<string, unknown>): string {
  const plain = wanted
    .replace(/^-+/, '')
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '-')
    .replaceAll(/^[-.]+|[-.]+$/g, '')
  const name = (/^[A-Za-z_]/.test(plain) ? plain : `option-${plain}`).slice(0, 60)
  // These are filled by Signalbox itself.
  const isOwn = ['prompt', 'task_title', 'task_description', 'constructor', '__proto__'].includes(name)
  for (let number = isOwn ? 2 : 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`
    if (!Object.hasOwn(taken, free)) return free
  }
}
