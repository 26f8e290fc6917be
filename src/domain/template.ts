import { basename } from 'node:path'
import type { Agent } from '#contract/agent.ts'
import type { Task } from '#contract/task.ts'
import { bodyMisfit } from './problem.ts'
import type { Problem } from './problem.ts'

// A template is filled element by element and never goes through a shell: whatever a value contains, it stays inside
// the one element of argv that its slot stands in, and it cannot turn that element into an option.

/** What can be put into slots; every name that has no value is missing here. */
export type SlotValues = Record<string, unknown>

type Part = { literal: string } | { slot: string }

const slotName = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const longestToken = 65_536
const longestCommand = 1_000_000

/** The slots that Signalbox fills itself. */
export const ownSlots = ['prompt', 'task_title', 'task_description'] as const

/** Cuts a text at its slots. Throws an Error that says what is wrong with one. */
export function parseTemplate(text: string): Part[] {
  const parts: Part[] = []
  let at = 0
  for (let begin = text.indexOf('{{'); begin !== -1; begin = text.indexOf('{{', at)) {
    const end = text.indexOf('}}', begin)
    const slot = end === -1 ? '' : text.slice(begin + 2, end)
    if (!slotName.test(slot))
      throw new Error(`"${text.slice(begin, begin + 40)}" is not a slot: write {{name}}, without spaces`)
    if (begin > at) parts.push({ literal: text.slice(at, begin) })
    parts.push({ slot })
    at = end + 2
  }
  if (at < text.length) parts.push({ literal: text.slice(at) })
  return parts
}

export const slotsIn = (text: string): string[] =>
  parseTemplate(text).flatMap((part) => ('slot' in part ? [part.slot] : []))

/** The values for the slots of an execution. */
export function slotValues(
  args: Record<string, unknown>,
  prompt: string | null | undefined,
  task: Pick<Task, 'title' | 'description'> | null,
): SlotValues {
  return {
    ...args,
    ...(typeof prompt === 'string' && { prompt }),
    ...(task && { task_title: task.title, task_description: task.description }),
  }
}

/** Leaves out a first token that only repeats which program it is. */
export function withoutProgram(tokens: readonly string[], binaryPath: string | null): string[] {
  const [first] = tokens
  const isProgram = binaryPath !== null && (first === binaryPath || first === basename(binaryPath))
  return tokens.slice(isProgram ? 1 : 0)
}

/** What the agent's program is started with. */
export function argvOf(
  agent: Pick<Agent, 'args' | 'binaryPath'>,
  tokens: readonly string[],
  values: SlotValues,
): string[] {
  return [...agent.args, ...fillTemplate(withoutProgram(tokens, agent.binaryPath), values)]
}

/** One token in, one element of argv out. Throws `does_not_fit` with the argument that cannot be used. */
export function fillTemplate(tokens: readonly string[], values: SlotValues): string[] {
  let optionsMayFollow = true
  const filled = tokens.map((token) => {
    if (token === '--') optionsMayFollow = false
    return fillToken(token, values, optionsMayFollow)
  })
  const bytes = filled.reduce((sum, token) => sum + Buffer.byteLength(token), 0)
  if (bytes > longestCommand)
    throw bodyMisfit('args', `make a command of ${bytes} bytes; at most ${longestCommand} can be passed`)
  return filled
}

/** Fills the slots of a prompt: words for an agent, of which nothing can become an option. */
export const fillPrompt = (template: string, values: SlotValues): string =>
  parseTemplate(template)
    .map((part) => ('slot' in part ? textOf(part.slot, values) : part.literal))
    .join('')

function fillToken(token: string, values: SlotValues, optionsMayFollow: boolean): string {
  const parts = parseTemplate(token)
  const slots = parts.flatMap((part) => ('slot' in part ? [part.slot] : []))
  const filled = parts.map((part) => ('slot' in part ? textOf(part.slot, values) : part.literal)).join('')
  const [first] = parts
  if (first && 'slot' in first && filled.startsWith('-') && optionsMayFollow)
    throw unusable(first.slot, 'would be read as an option: it begins with "-"')
  const bytes = Buffer.byteLength(filled)
  if (bytes > longestToken)
    throw unusable(slots[0], `is ${bytes} bytes long; at most ${longestToken} can be passed`)
  return filled
}

function textOf(slot: string, values: SlotValues): string {
  const value = Object.hasOwn(values, slot) ? values[slot] : undefined
  if (value === undefined) throw unusable(slot, 'is needed by the command')
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') throw unusable(slot, 'must be a text, a number, true or false')
  if (value.includes('\0')) throw unusable(slot, 'must not contain a NUL character')
  if (!value.isWellFormed()) throw unusable(slot, 'must be well-formed Unicode')
  return value
}

/** A task's title is no argument of the caller's: the complaint is about the task that was named. */
function unusable(slot: string | undefined, reason: string): Problem {
  if (slot === 'task_title') return bodyMisfit('taskId', `the task's title ${reason}`)
  if (slot === 'task_description') return bodyMisfit('taskId', `the task's description ${reason}`)
  if (slot === undefined || slot === 'prompt') return bodyMisfit(slot ?? 'args', reason)
  return bodyMisfit(`args.${slot}`, reason)
}
