import type { Agent } from '#contract/agent.ts'
import type { Annotations, ArgsSchema, Capability } from '#contract/capability.ts'
import { checkArgsSchema } from './args-schema.ts'
import type { Understand } from './args-schema.ts'
import { bodyMisfit } from './problem.ts'
import { spreadIn } from './spread.ts'
import { ownSlots, parseTemplate, slotsIn, slotsInToken } from './template.ts'

type Written = Pick<
  Capability,
  'interactionMode' | 'commandTokens' | 'promptTemplate' | 'argsSchema' | 'dangerLevel' | 'annotations'
>

/** Throws `does_not_fit` unless this can be asked for: everything it needs is there, and every slot can be filled. */
export function checkCapability(written: Written, understand?: Understand): void {
  if (written.interactionMode === 'template' && !written.commandTokens)
    throw bodyMisfit('commandTokens', 'a capability of mode "template" needs them')
  checkArgsSchema(written.argsSchema, understand)
  for (const [index, token] of (written.commandTokens ?? []).entries()) {
    checkSlots(`commandTokens.${index}`, () => slotsInToken(token), written.argsSchema)
    checkOptionName(`commandTokens.${index}`, token)
  }
  const { promptTemplate } = written
  if (promptTemplate !== null) checkSlots('promptTemplate', () => slotsIn(promptTemplate), written.argsSchema)
  if (written.dangerLevel >= 2 && written.annotations.readOnlyHint)
    throw bodyMisfit('annotations.readOnlyHint', `nothing of danger level ${written.dangerLevel} only reads`)
}

/** Throws when it is a command that somebody is to run who can only be talked to. */
export function checkAskable(
  { name, adapter }: Pick<Agent, 'name' | 'adapter'>,
  { interactionMode }: Pick<Written, 'interactionMode'>,
): void {
  if (adapter === 'chat' && interactionMode === 'template')
    throw bodyMisfit(
      'interactionMode',
      `${name} is a chat with a model and runs no commands: it can only be asked in words ("prompt")`,
    )
}

function checkSlots(field: string, slots: () => string[], schema: ArgsSchema): void {
  const known = new Set([...ownSlots, ...propertiesOf(schema)])
  for (const slot of slotsOf(field, slots))
    if (!known.has(slot))
      throw bodyMisfit(field, `{{${slot}}} is not an argument: argsSchema has no property "${slot}"`)
}

function slotsOf(field: string, slots: () => string[]): string[] {
  try {
    return slots()
  } catch (error) {
    throw bodyMisfit(field, error instanceof Error ? error.message : String(error))
  }
}

/** `--{{name}}` would let a value choose the option. */
function checkOptionName(field: string, token: string): void {
  if (spreadIn(token) !== undefined) return
  const [first, second] = parseTemplate(token)
  if (first && 'literal' in first && /^-+$/.test(first.literal) && second)
    throw bodyMisfit(field, 'the name of an option cannot come from a slot')
}

function propertiesOf(schema: ArgsSchema): string[] {
  const { properties } = schema
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

/** What follows from the danger level, unless said otherwise. */
export function annotationsOf(dangerLevel: number, given: Given): Annotations {
  const dangerous = dangerLevel >= 2
  const safe = dangerLevel === 0
  return withGiven({ readOnlyHint: safe, destructiveHint: dangerous, idempotentHint: safe }, given)
}

type Given = { [Hint in keyof Annotations]?: boolean | undefined }

export const withGiven = (hints: Annotations, given: Given): Annotations => ({
  readOnlyHint: given.readOnlyHint ?? hints.readOnlyHint,
  destructiveHint: given.destructiveHint ?? hints.destructiveHint,
  idempotentHint: given.idempotentHint ?? hints.idempotentHint,
})

/** Whether a message can be its next prompt. */
export const takesPrompt = (
  written: Pick<Written, 'interactionMode' | 'commandTokens' | 'promptTemplate'>,
): boolean =>
  written.interactionMode === 'prompt'
    ? slotsIn(promptTemplateOf(written)).includes('prompt')
    : (written.commandTokens ?? []).some((token) => slotsInToken(token).includes('prompt'))

/** Whoever says nothing about it wants the prompt to be passed on as it is. */
export const promptTemplateOf = ({ promptTemplate }: Pick<Written, 'promptTemplate'>): string =>
  promptTemplate ?? '{{prompt}}'
