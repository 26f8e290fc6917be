import type { ArgsSchema } from '#contract/capability.ts'
import { checkElement, textOf, valueIn } from './slot.ts'
import type { SlotValues } from './slot.ts'

// `{{name...}}` stands for as many elements of argv as its value has: none, an option, an option with its value, several of
// these, or several words. The option's own name is never a value: the capability's author wrote it into the schema.

/** How an option may be called; what comes from outside is not it. */
export const flagPattern = '^-{1,2}[A-Za-z0-9?][A-Za-z0-9_.:+-]*$'

const spread = /^\{\{([A-Za-z_][A-Za-z0-9_.-]*)\.\.\.\}\}$/

/** The slot that a token spreads; undefined for every other token. */
export const spreadIn = (token: string): string | undefined => spread.exec(token)?.[1]

/** Throws `does_not_fit` with the argument that cannot be used. */
export function fillSpread(
  slot: string,
  values: SlotValues,
  schema: ArgsSchema,
  optionsMayFollow: boolean,
): string[] {
  const { flag, isJoined } = optionOf(slot, schema)
  const value = valueIn(slot, values)
  const each = Array.isArray(value)
    ? value.map((item: unknown, index) => [`${slot}.${index}`, item] as const)
    : [[slot, value] as const]
  return each.flatMap(([place, item]) => {
    if (item === undefined || item === null || item === false) return []
    if (flag === undefined) return [checkElement(place, textOf(place, item), optionsMayFollow)]
    if (item === true) return [flag]
    const text = textOf(place, item)
    if (isJoined) return [checkElement(place, `${flag}=${text}`, false)]
    // Not all programs take the next word for the option's value, whatever it is.
    return [flag, checkElement(place, text, optionsMayFollow)]
  })
}

function optionOf(slot: string, schema: ArgsSchema): { flag: string | undefined; isJoined: boolean } {
  const property = own(own(schema, 'properties'), slot)
  const flag = own(property, 'x-flag')
  return { flag: typeof flag === 'string' ? flag : undefined, isJoined: own(property, 'x-joined') === true }
}

const own = (of: unknown, key: string): unknown =>
  typeof of === 'object' && of !== null && Object.hasOwn(of, key) ? Reflect.get(of, key) : undefined
