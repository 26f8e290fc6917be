import { useState } from 'react'
import { chatStrings } from '../../strings/chat.ts'
import { strings } from '../../strings/page.ts'
import { Button } from '../../ui/button.tsx'

interface Props {
  text: string
  rewrite: (text: string) => Promise<void>
  onClose: () => void
}

/** A message of one's own, to be said in another way. */
export function RewriteForm({ text: before, rewrite, onClose }: Props) {
  const [text, setText] = useState(before)
  const [isSaving, setSaving] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isReady = text.trim() !== '' && !isSaving
  const save = async () => {
    if (!isReady) return
    setSaving(true)
    setProblem(null)
    try {
      await rewrite(text)
      onClose()
    } catch (error) {
      setProblem(chatStrings.notEdited(error instanceof Error ? error.message : String(error)))
      setSaving(false)
    }
  }
  return (
    <form
      data-rewrite
      className="w-full rounded-panel border border-control bg-panel"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <textarea
        ref={(field) => field?.focus()}
        dir="auto"
        rows={2}
        value={text}
        maxLength={1_000_000}
        aria-label={chatStrings.editLabel}
        className="block max-h-60 min-h-14 w-full resize-none bg-transparent px-3 pt-2 field-sizing-content outline-none max-sm:text-[16px]"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') onClose()
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          void save()
        }}
      />
      {problem && (
        <p role="alert" className="px-3 wrap-anywhere text-stop">
          {problem}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2 px-3 pt-1 pb-2">
        <span className="me-auto text-small text-mute">{chatStrings.editHint}</span>
        <Button look="quiet" onClick={onClose}>
          {strings.cancel}
        </Button>
        <Button look="main" type="submit" disabled={!isReady}>
          {isSaving ? chatStrings.saving : chatStrings.save}
        </Button>
      </div>
    </form>
  )
}
