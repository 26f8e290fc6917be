import { visibleText } from './visible-text.ts'
import type { Asked } from './approval-card.tsx'
import type { Given } from './answer.ts'

interface Way {
  id: string
  label: string
  decision: Given['decision']
}

/** Means no more than what we offer in its place, with a rule that can be seen and deleted. */
const isOurs = (label: string) => /^(yes, )?(allow )?always( allow)?$/i.test(label.trim())

/** Answers that only this agent knows, beside a plain yes and no. What it would never ask again is the owner's to allow. */
export function otherWays({ options }: Pick<Asked, 'options'>, isOwner: boolean): Way[] {
  const once = options.find(({ kind }) => kind === 'allow_once')
  const plain = new Set([once, options.find(({ kind }) => kind === 'reject_once')])
  return options
    .filter(
      (option) =>
        !plain.has(option) &&
        (option.kind !== 'allow_always' || (isOwner && !(once && isOurs(option.label)))),
    )
    .map(({ id, label, kind }) => ({
      id,
      label: visibleText(label),
      decision: kind.startsWith('allow') ? 'granted' : 'refused',
    }))
}
