import { useState } from 'react'
import type { ReactNode } from 'react'
import { strings } from '../strings/page.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  text: string
  /** The verb: what happens when they say yes. */
  act: string
  /** A refusal is shown, and the window stays. */
  onAct: () => Promise<void>
  onClose: () => void
  isDanger?: boolean
  children?: ReactNode
}

/** Asks before something that cannot be taken back. */
export function AskFirst({ title, text, act, onAct, onClose, isDanger = true, children }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const go = async () => {
    setBusy(true)
    setProblem(null)
    try {
      await onAct()
      onClose()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose} className="w-105">
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 pb-4">
        <p dir="auto" className="wrap-anywhere text-soft">
          {text}
        </p>
        {children}
        {problem && (
          <p role="alert" className="wrap-anywhere text-stop">
            {problem}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{strings.cancel}</Button>
          <Button look={isDanger ? 'danger' : 'main'} disabled={isBusy} onClick={() => void go()}>
            {act}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
