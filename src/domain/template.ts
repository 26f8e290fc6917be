import { basename } from 'node:path'
import type { Agent } from '#contract/agent.ts'
import type { ArgsSchema, Capability } from '#contract/capability.ts'
import type { Task } from '#contract/task.ts'
import { bodyMisfit } from './problem.ts'
import { checkElement, textIn } from './slot.ts'
import type { SlotValues } from './slot.ts'
import { fillSpread, spreadIn } from './spread.ts'

// A template is filled element by element and never goes through a shell: whatever a value contains, it stays inside
// the one element of argv that its slot stands in, and it cannot turn that element into an option.

type Part = { literal: string } | { slot: string }

const slotName = /^[A-Za-z_][A-Za-z0-9_.-]*$/
const longestCommand = 1_000_000
const mostWords = 1_000

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
    if (slot.endsWith('...'))
      throw new Error(`{{${slot}}} stands for several words: it can only be a whole token of a command`)
    if (begin > at) parts.push({ literal: text.slice(at, begin) })
    parts.push({ slot })
    at = end + 2
  }
  if (at < text.length) parts.push({ literal: text.slice(at) })
  return parts
}

/** The slots of a prompt, or of a token that spreads nothing. */
export const slotsIn = (text: string): string[] =>
  parseTemplate(text).flatMap((part) => ('slot' in part ? [part.slot] : []))

export function slotsInToken(token: string): string[] {
  const spread = spreadIn(token)
  return spread === undefined ? slotsIn(token) : [spread]
}

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
  { commandTokens, argsSchema }: Pick<Capability, 'commandTokens' | 'argsSchema'>,
  values: SlotValues,
): string[] {
  const tokens = withoutProgram(commandTokens ?? [], agent.binaryPath)
  return [...agent.args, ...fillTemplate(tokens, values, argsSchema)]
}

/**
 * One token in, one element of argv out, but for `{{name...}}`, which may be any number. Throws `does_not_fit` with the
 * argument that cannot be used.
 */
export function fillTemplate(
  tokens: readonly string[],
  values: SlotValues,
  schema: ArgsSchema = {},
): string[] {
  let optionsMayFollow = true
  const filled = tokens.flatMap((token) => {
    if (token === '--') optionsMayFollow = false
    const spread = spreadIn(token)
    return spread === undefined
      ? [fillToken(token, values, optionsMayFollow)]
      : fillSpread(spread, values, schema, optionsMayFollow)
  })
  if (filled.length > mostWords)
    throw bodyMisfit('args', `make a command of ${filled.length} words; at most ${mostWords} can be passed`)
  const bytes = filled.reduce((sum, token) => sum + Buffer.byteLength(token), 0)
  if (bytes > longestCommand)
    throw bodyMisfit('args', `make a command of ${bytes} bytes; at most ${longestCommand} can be passed`)
  return filled
}

/** Fills the slots of a prompt: words for an agent, of which nothing can become an option. */
export const fillPrompt = (template: string, values: SlotValues): string =>
  parseTemplate(template)
    .map((part) => ('slot' in part ? textIn(part.slot, values) : part.literal))
    .join('')

function fillToken(token: string, values: SlotValues, optionsMayFollow: boolean): string {
  const parts = parseTemplate(token)
  const [slot] = parts.flatMap((part) => ('slot' in part ? [part.slot] : []))
  const filled = parts.map((part) => ('slot' in part ? textIn(part.slot, values) : part.literal)).join('')
  const [first] = parts
  const beginsWithValue = first !== undefined && 'slot' in first
  return checkElement(slot, filled, optionsMayFollow && beginsWithValue)
}
