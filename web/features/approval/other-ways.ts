import { visibleText } from './visible-text.ts'
import type { Asked } from './approval-card.tsx'
import type { Given } from './answer.ts'

interface Way {
  id: string
  label: string
  decision: Given['decision']
}

/** Answers that only this agent knows, beside a plain yes and no. What it would never ask again is the owner's to allow. */
export function otherWays({ options }: Pick<Asked, 'options'>, isOwner: boolean): Way[] {
  const plain = new Set([
    options.find(({ kind }) => kind === 'allow_once'),
    options.find(({ kind }) => kind === 'reject_once'),
  ])
  return options
    .filter((option) => !plain.has(option) && (isOwner || option.kind !== 'allow_always'))
    .map(({ id, label, kind }) => ({
      id,
      label: visibleText(label),
      decision: kind.startsWith('allow') ? 'granted' : 'refused',
    }))
}
