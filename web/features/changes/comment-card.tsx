import { useEffect, useRef } from 'react'
import { changesStrings } from '../../strings/changes.ts'
import { Button } from '../../ui/button.tsx'
import type { Comments } from './comment-store.ts'
import { placeOf } from './comments.ts'
import type { Comment } from './comments.ts'

interface Props {
  comment: Comment
  /** What it was about is not there any more as it was. */
  isMoved: boolean
  comments: Comments
}

/** What somebody says about some lines, below them. */
export function CommentCard({ comment, isMoved, comments }: Props) {
  const words = changesStrings.comment
  const { id, text, isOpen, from, to } = comment
  const field = useRef<HTMLTextAreaElement>(null)
  const isNew = isOpen && text === ''
  useEffect(() => {
    if (isNew) field.current?.focus()
    // Only where it appears: whoever deletes all they wrote is there already.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  const close = () => (text.trim() === '' ? comments.drop(id) : comments.change(id, { isOpen: false }))
  return (
    <div
      data-comment
      className="mx-3 my-1.5 flex flex-col gap-1.5 rounded-card border border-edge bg-panel px-3 py-2 font-sans text-base"
    >
      <p className="flex gap-2 text-small text-mute">
        {words.lines(from, to)}
        {isMoved && <span>{changesStrings.moved}</span>}
      </p>
      {isOpen ? (
        <textarea
          ref={field}
          dir="auto"
          rows={2}
          value={text}
          maxLength={20_000}
          aria-label={words.label(placeOf(comment))}
          placeholder={words.hint}
          className="max-h-60 min-h-12 resize-none rounded-control border border-control bg-ground px-2 py-1.5 field-sizing-content max-sm:text-[16px]"
          onChange={(event) => comments.change(id, { text: event.target.value })}
          onKeyDown={(event) => {
            const isDone =
              event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            if (!isDone || event.nativeEvent.isComposing) return
            event.preventDefault()
            event.stopPropagation()
            close()
          }}
        />
      ) : (
        <p dir="auto" className="max-h-60 overflow-y-auto wrap-anywhere whitespace-pre-wrap">
          {text}
        </p>
      )}
      <div className="flex gap-2">
        {isOpen ? (
          <Button look="main" disabled={text.trim() === ''} onClick={close}>
            {words.keep}
          </Button>
        ) : (
          <Button onClick={() => comments.change(id, { isOpen: true })}>{words.edit}</Button>
        )}
        <Button look="quiet" onClick={() => comments.drop(id)}>
          {words.drop}
        </Button>
      </div>
    </div>
  )
}
