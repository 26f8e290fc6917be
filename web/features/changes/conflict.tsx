import { useState } from 'react'
import type { Refusal } from '../../api.ts'
import { changesStrings } from '../../strings/changes.ts'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { visibleText } from '../approval/visible-text.ts'
import type { Say } from './use-say.ts'

/** Why a merge was not made, file by file, and what to do about it. */
export function Conflict({
  refused,
  say,
  onClose,
}: {
  refused: Refusal
  say: Say | null
  onClose: () => void
}) {
  const words = changesStrings.conflict
  const [isAsking, setAsking] = useState(false)
  const {
    into = '',
    files: named,
    where,
  } = refused.context as { into?: string; files?: unknown; where?: string }
  const files = Array.isArray(named) ? named.map(String) : []
  const isHere = where === 'worktree'
  const ask = async () => {
    setAsking(true)
    try {
      await say?.send(words.message(into, files))
      toast(words.asked)
      onClose()
    } catch (error) {
      toast(changesStrings.review.notSent(error instanceof Error ? error.message : String(error)), {
        isProblem: true,
      })
      setAsking(false)
    }
  }
  return (
    <div
      role="alert"
      data-conflict
      className="flex flex-col gap-1.5 rounded-card border border-edge bg-panel px-3 py-2"
    >
      <p className="font-medium text-stop">{words.heading(into)}</p>
      <p className="text-soft">{isHere ? words.worktree(into) : words.repository(into)}</p>
      <ul className="max-h-32 list-disc overflow-y-auto ps-5 font-mono text-small">
        {files.map((file) => (
          <li key={file}>
            <bdi dir="ltr">{visibleText(file)}</bdi>
          </li>
        ))}
      </ul>
      <div className="flex gap-2">
        {isHere && say && (
          <Button look="main" disabled={isAsking} onClick={() => void ask()}>
            {words.ask(say.agentName)}
          </Button>
        )}
        <Button onClick={onClose}>{words.close}</Button>
      </div>
    </div>
  )
}
