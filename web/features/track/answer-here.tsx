import { useEffect, useRef } from 'react'
import { ApprovalCard } from '../approval/approval-card.tsx'
import { useSettled } from '../approval/use-settled.ts'
import { useWaiting } from '../approval/waiting.ts'

interface Props {
  sessionId: string
  /** The keys y, n and a mean what is asked here. */
  takesKeys: boolean
  /** Nothing is left to answer. */
  onDone: () => void
}

/** What a session asks, under its track. */
export function AnswerHere({ sessionId, takesKeys, onDone }: Props) {
  const { data } = useWaiting()
  const rows = data?.rows.filter((approval) => approval.sessionId === sessionId) ?? []
  const isSettled = useSettled(rows[0]?.id, 300)
  const isOver = data !== undefined && rows.length === 0
  const done = useRef(onDone)
  useEffect(() => {
    done.current = onDone
  })
  useEffect(() => {
    if (isOver) done.current()
  }, [isOver])
  return (
    <div data-answer-here={sessionId} className="flex flex-col gap-2 px-3 pt-1 pb-3">
      {rows.map((approval, index) => (
        <ApprovalCard
          key={approval.id}
          approval={approval}
          takesKeys={takesKeys && index === 0 && isSettled}
        />
      ))}
    </div>
  )
}
