import { useState } from 'react'
import { changesStrings } from '../../strings/changes.ts'
import { announce } from '../../ui/announce.tsx'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Comments } from './comment-store.ts'
import { messageOf } from './comments.ts'
import type { Say } from './use-say.ts'

/** What was said about the changes so far, and the way to have it heard. */
export function ReviewBar({ comments, say }: { comments: Comments; say: Say | null }) {
  const words = changesStrings.review
  const [isSending, setSending] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const ready = comments.all.filter(({ text }) => text.trim() !== '')
  if (ready.length === 0) return null
  const send = async () => {
    setSending(true)
    setProblem(null)
    try {
      await say?.send(messageOf(ready))
      comments.drop(...ready.map(({ id }) => id))
      announce(words.sent)
      toast(words.sent)
    } catch (error) {
      setProblem(words.notSent(error instanceof Error ? error.message : String(error)))
    } finally {
      setSending(false)
    }
  }
  const discard = () => {
    const all = ready
    comments.drop(...all.map(({ id }) => id))
    toast(words.discarded(all.length), { action: { label: words.undo, run: () => comments.putBack(all) } })
  }
  return (
    <div
      data-review
      className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line bg-panel px-4 py-2"
    >
      <span className="font-medium">{words.amount(ready.length)}</span>
      <span className="min-w-0 grow basis-40 text-small text-mute">
        {say ? words.hint : words.noOneHears}
      </span>
      {problem && (
        <p role="alert" className="w-full wrap-anywhere text-stop">
          {problem}
        </p>
      )}
      <Button look="quiet" disabled={isSending} onClick={discard}>
        {words.discard}
      </Button>
      <Button look="main" disabled={isSending || !say} onClick={() => void send()}>
        {isSending ? words.sending : words.send(say?.agentName ?? '')}
      </Button>
    </div>
  )
}
