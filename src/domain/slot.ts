import { bodyMisfit } from './problem.ts'
import type { Problem } from './problem.ts'

/** What can be put into slots; every name that has no value is missing here. */
export type SlotValues = Record<string, unknown>

const longestToken = 65_536

/** What stands in a slot, of which there must be something. */
export function textIn(slot: string, values: SlotValues): string {
  const value = valueIn(slot, values)
  if (value === undefined) throw unusable(slot, 'is needed by the command')
  return textOf(slot, value)
}

export const valueIn = (slot: string, values: SlotValues): unknown =>
  Object.hasOwn(values, slot) ? values[slot] : undefined

export function textOf(slot: string, value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') throw unusable(slot, 'must be a text, a number, true or false')
  if (value.includes('\0')) throw unusable(slot, 'must not contain a NUL character')
  if (!value.isWellFormed()) throw unusable(slot, 'must be well-formed Unicode')
  return value
}

/** The same element of argv, unless the program would read it as an option or it is too long. */
export function checkElement(slot: string | undefined, element: string, canBeOption: boolean): string {
  if (canBeOption && element.startsWith('-'))
    throw unusable(slot, 'would be read as an option: it begins with "-"')
  const bytes = Buffer.byteLength(element)
  if (bytes > longestToken)
    throw unusable(slot, `is ${bytes} bytes long; at most ${longestToken} can be passed`)
  return element
}

/** A task's title is no argument of the caller's: the complaint is about the task that was named. */
function unusable(slot: string | undefined, reason: string): Problem {
  if (slot === 'task_title') return bodyMisfit('taskId', `the task's title ${reason}`)
  if (slot === 'task_description') return bodyMisfit('taskId', `the task's description ${reason}`)
  if (slot === undefined || slot === 'prompt') return bodyMisfit(slot ?? 'args', reason)
  return bodyMisfit(`args.${slot}`, reason)
}
