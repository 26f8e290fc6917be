import { useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { Approval } from '../../../src/contract/approval.ts'
import { approvalStrings } from '../../strings/approval.ts'
import { session } from '../../session.ts'
import { useStore } from '../../store.ts'
import { Signal } from '../../ui/signal.tsx'
import { useKeys } from '../shell/keys.ts'
import { answer } from './answer.ts'
import type { Given } from './answer.ts'
import { AnswerForm } from './answer-form.tsx'
import { ApprovalInput } from './approval-input.tsx'
import { Decision } from './decision.tsx'
import { inputParts } from './input-parts.ts'
import { SourceAsks } from './source-asks.tsx'
import { sourceThatAsks } from './source-that-asks.ts'
import { visibleText } from './visible-text.ts'
import { WaitingTime } from './waiting-time.tsx'

/** What a person must know to answer; the inbox and the conversation know it from different places. */
export type Asked = Pick<
  Approval,
  'id' | 'kind' | 'tool' | 'title' | 'input' | 'options' | 'questions' | 'schema' | 'askedAt' | 'expiresAt'
> &
  Partial<Pick<Approval, 'sessionId' | 'position' | 'total'>>

interface Props {
  approval: Asked
  /** The keys y, n and a mean this one. */
  takesKeys: boolean
  /** Who asks, where, and how dangerous it is; the conversation says so by itself. */
  children?: ReactNode
}

/** Many agents call what they ask for by the command itself: that is not to be read twice. A form shows no input. */
const isSaidByInput = ({ title, input }: Asked): boolean =>
  inputParts(input).some(({ text }) => text === visibleText(title))

/** A question that waits for a person, with everything it takes to answer it. */
export function ApprovalCard({ approval, takesKeys, children }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const [isRefusing, setRefusing] = useState(false)
  const [isSending, setSending] = useState(false)
  const principal = useStore(session, (key) => key?.principal)
  const mayAnswer = principal?.scopes.includes('approve') ?? false
  // What a person's own code asks is asked in no session: there is no agent whom a rule would be for.
  const mayRemember = principal?.kind === 'owner' && approval.kind === 'tool' && approval.sessionId !== null
  const source = sourceThatAsks(approval)
  const isForm = approval.questions !== null || approval.schema !== null
  const words = approvalStrings
  const { position = 0, total = 0 } = approval

  const give = (given: Given) => {
    if (isSending || !mayAnswer) return
    setSending(true)
    void answer(approval, given).then((isOver) => isOver || setSending(false))
  }
  const beginForm = () => place.current?.querySelector<HTMLElement>('input, textarea, select')?.focus()
  const keys = {
    y: () => (isForm ? beginForm() : give({ decision: 'granted' })),
    n: () => setRefusing(true),
    ...(mayRemember && { a: () => give({ decision: 'granted', remember: true }) }),
  }
  useKeys(takesKeys && mayAnswer ? keys : {}, { comesFirst: true })

  return (
    <div
      ref={place}
      data-approval-card={approval.id}
      className="@container rounded-card border border-wait bg-panel"
    >
      <div className="flex items-center gap-x-2.5 gap-y-1 border-b @max-lg:flex-wrap border-line px-3 py-2">
        <Signal aspect="waits" word={words.asks[approval.kind](visibleText(approval.tool))} />
        {children}
        {approval.sessionId !== null && total > 1 && (
          <span data-queue className="shrink-0 text-small text-soft tabular-nums">
            {words.inQueue(position, total)}
          </span>
        )}
        <WaitingTime approval={approval} />
      </div>
      {source && <SourceAsks {...source} />}
      {!source && (isForm || !isSaidByInput(approval)) && (
        <p dir="auto" className="px-3 pt-2 font-medium wrap-anywhere">
          {visibleText(approval.title)}
        </p>
      )}
      {isForm ? (
        <AnswerForm
          approval={approval}
          isDisabled={!mayAnswer || isSending}
          onSubmit={(content) => give({ decision: 'granted', content })}
        />
      ) : (
        <ApprovalInput approval={approval} />
      )}
      {source && isForm && <p className="px-3 pt-2 text-small text-soft">{words.goesTo(source.name)}</p>}
      <Decision
        approval={approval}
        isForm={isForm}
        mayAnswer={mayAnswer}
        mayRemember={mayRemember}
        isSending={isSending}
        isRefusing={isRefusing}
        setRefusing={setRefusing}
        give={give}
      />
    </div>
  )
}
