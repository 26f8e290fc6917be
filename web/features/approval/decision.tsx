import { useState } from 'react'
import { approvalStrings } from '../../strings/approval.ts'
import { session } from '../../session.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import type { Given } from './answer.ts'
import type { Asked } from './approval-card.tsx'
import { otherWays } from './other-ways.ts'

interface Props {
  approval: Asked
  isForm: boolean
  mayAnswer: boolean
  mayRemember: boolean
  isSending: boolean
  isRefusing: boolean
  setRefusing: (isRefusing: boolean) => void
  give: (given: Given) => void
}

/** On a phone the answers stay in reach of the thumb, however long what is asked is. */
const bar =
  'flex flex-wrap items-center gap-2 px-3 py-2.5 max-sm:sticky max-sm:bottom-0 max-sm:rounded-b-card max-sm:bg-panel'
const thumb = 'max-sm:h-12 max-sm:grow max-sm:basis-0 max-sm:text-large'

/** The ways to answer. Refusing takes a second key, and has room for a reason. */
export function Decision(props: Props) {
  const { approval, isForm, mayAnswer, mayRemember, isSending, isRefusing, setRefusing, give } = props
  const words = approvalStrings
  if (!mayAnswer) return <p className="px-3 py-2.5 text-mute">{words.mayNot}</p>
  if (isRefusing) return <Refusing isSending={isSending} setRefusing={setRefusing} give={give} />
  const isOwner = session.get()?.principal.kind === 'owner'
  return (
    <div className={bar}>
      {isForm ? (
        <Button
          look="main"
          className={thumb}
          type="submit"
          form={`answer-${approval.id}`}
          disabled={isSending}
        >
          {words.submit}
        </Button>
      ) : (
        <Button
          look="main"
          className={thumb}
          disabled={isSending}
          onClick={() => give({ decision: 'granted' })}
        >
          {approval.kind === 'plan' ? words.grantPlan : words.grant}
          <Kbd keys="y" className="text-current! max-sm:hidden" />
        </Button>
      )}
      <Button className={thumb} disabled={isSending} onClick={() => setRefusing(true)}>
        {words.refuse} <Kbd keys="n" className="max-sm:hidden" />
      </Button>
      {mayRemember && (
        <Button
          look="quiet"
          className="max-sm:h-11 max-sm:w-full"
          title={words.alwaysHint}
          disabled={isSending}
          onClick={() => give({ decision: 'granted', remember: true })}
        >
          {words.always} <Kbd keys="a" className="max-sm:hidden" />
        </Button>
      )}
      {otherWays(approval, isOwner).map(({ id, label, decision }) => (
        <Button
          key={id}
          look="quiet"
          className="max-w-full max-sm:h-11 max-sm:w-full"
          disabled={isSending}
          onClick={() => give({ decision, optionId: id })}
        >
          <bdi className="truncate">{label}</bdi>
        </Button>
      ))}
    </div>
  )
}

function Refusing({ isSending, setRefusing, give }: Pick<Props, 'isSending' | 'setRefusing' | 'give'>) {
  const [reason, setReason] = useState('')
  const words = approvalStrings
  return (
    <form
      className={bar}
      onSubmit={(event) => {
        event.preventDefault()
        give({ decision: 'refused', ...(reason.trim() && { reason: reason.trim() }) })
      }}
    >
      <input
        ref={(field) => field?.focus()}
        dir="auto"
        value={reason}
        maxLength={10_000}
        aria-label={words.reason}
        placeholder={words.reason}
        className="h-7 min-w-50 grow rounded-control border border-control bg-ground px-2 max-sm:h-12 max-sm:w-full max-sm:text-[16px]"
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          setRefusing(false)
        }}
      />
      <Button type="submit" className={thumb} disabled={isSending}>
        {words.refuse} <Kbd keys="↵" className="max-sm:hidden" />
      </Button>
      <Button look="quiet" className={thumb} onClick={() => setRefusing(false)}>
        {strings.cancel}
      </Button>
    </form>
  )
}
