import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { PolicyRule, RuleEffect } from '../../../src/contract/approval.ts'
import { policyStrings as words } from '../../strings/policy.ts'
import { settingsStrings } from '../../strings/settings.ts'
import { AskFirst } from '../../ui/ask-first.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Signal } from '../../ui/signal.tsx'
import type { Aspect } from '../../ui/signal.tsx'
import { ago, dateAndTime } from '../../ui/time.ts'
import { toast } from '../../ui/toast.tsx'
import { settingsApi } from './settings-api.ts'
import { isGone } from './told.ts'

const aspects = { allow: 'done', deny: 'stopped', ask: 'idle' } as const satisfies Record<RuleEffect, Aspect>

export function EffectSignal({ effect }: { effect: RuleEffect }) {
  return (
    <span className="w-18 shrink-0 text-small">
      <Signal aspect={aspects[effect]} word={words.effect[effect]} />
    </span>
  )
}

interface Props {
  rule: PolicyRule
  number: number
  who: string
  isOwner: boolean
  onEdit: () => void
  onChanged: () => Promise<unknown>
}

/** A rule in words, and where it comes from. */
export function RuleRow({ rule, number, who, isOwner, onEdit, onChanged }: Props) {
  const { id, tool, argument, effect, approvalId, createdAt } = rule
  const [asks, setAsks] = useState(false)
  const sentence = words.sentence(effect, who, plain(tool), argument === null ? null : plain(argument))
  const remove = async () => {
    try {
      await settingsApi.removeRule(id)
      toast(words.removed)
    } catch (error) {
      if (!isGone(error)) throw error
      toast(words.gone, { isProblem: true })
    }
    await onChanged()
  }
  return (
    <li data-rule={id} className="flex min-h-12 items-center gap-3 border-b border-line py-1.5">
      <span className="w-5 shrink-0 text-end text-small text-mute tabular-nums">{number}</span>
      <EffectSignal effect={effect} />
      <div className="min-w-0 grow">
        <p dir="auto" className="wrap-anywhere">
          {sentence}
        </p>
        <p className="text-small text-mute" title={dateAndTime(createdAt)}>
          {approvalId ? words.fromInbox : words.byHand}, {ago(createdAt)}
        </p>
      </div>
      {isOwner && (
        <span className="flex shrink-0">
          <IconButton label={`${settingsStrings.edit} ${sentence}`} onClick={onEdit}>
            <Pencil size={14} aria-hidden />
          </IconButton>
          <IconButton label={`${settingsStrings.remove} ${sentence}`} onClick={() => setAsks(true)}>
            <Trash2 size={14} aria-hidden />
          </IconButton>
        </span>
      )}
      {asks && (
        <AskFirst
          title={words.removeTitle}
          text={words.removeText(sentence)}
          act={words.removeAct}
          onAct={remove}
          onClose={() => setAsks(false)}
        />
      )}
    </li>
  )
}

/** A rule from the inbox means its characters literally: people read them without what takes their meaning away. */
const plain = (pattern: string): string => pattern.replaceAll(/\\([\\*])/g, '$1')
