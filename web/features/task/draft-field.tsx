import { taskStrings } from '../../strings/task.ts'
import { Button } from '../../ui/button.tsx'
import type { DraftKeeper, DraftState } from './draft-keeper.ts'

interface Props {
  draft: DraftState & { keeper: DraftKeeper }
  label: string
  hint: string
  maxLength: number
  isOneLine?: boolean
  className: string
}

export function DraftField({ draft, label, hint, maxLength, isOneLine = false, className }: Props) {
  const { keeper, text, theirs, problem } = draft
  return (
    <div>
      <textarea
        dir="auto"
        rows={isOneLine ? 1 : 5}
        value={text}
        maxLength={maxLength}
        aria-label={label}
        placeholder={hint}
        className={`block w-full resize-none rounded-control border border-transparent bg-transparent px-2 py-1 field-sizing-content hover:border-line focus:border-control focus:outline-none max-sm:text-[16px] ${className}`}
        onChange={(event) =>
          keeper.write(isOneLine ? event.target.value.replaceAll('\n', ' ') : event.target.value)
        }
        onBlur={() => keeper.flush()}
        onKeyDown={(event) => {
          if (!isOneLine || event.key !== 'Enter' || event.nativeEvent.isComposing) return
          event.preventDefault()
          keeper.flush()
        }}
      />
      {problem && (
        <p role="alert" className="px-2 text-small text-stop">
          {taskStrings.notSaved}: {problem}
        </p>
      )}
      {isOneLine && !text.trim() && (
        <p role="alert" className="px-2 text-small text-stop">
          {taskStrings.titleNeeded}
        </p>
      )}
      {theirs !== null && (
        <div
          role="alert"
          className="mt-1 flex flex-col gap-2 rounded-control border border-edge bg-raise p-2.5"
        >
          <span>{taskStrings.conflict}</span>
          <bdi
            dir="auto"
            className="max-h-32 overflow-y-auto border-s-2 border-edge ps-2 wrap-anywhere whitespace-pre-wrap text-soft"
          >
            {theirs}
          </bdi>
          <span className="flex gap-2">
            <Button onClick={keeper.takeTheirs}>{taskStrings.takeTheirs}</Button>
            <Button onClick={keeper.keepMine}>{taskStrings.keepMine}</Button>
          </span>
        </div>
      )}
    </div>
  )
}

/** Whether everything that was written here is safe. */
export function SavedState({ drafts }: { drafts: DraftState[] }) {
  const phases = new Set(drafts.map(({ phase }) => phase))
  const phase = (['failed', 'saving', 'unsaved'] as const).find((each) => phases.has(each)) ?? 'saved'
  const words = {
    saved: taskStrings.saved,
    unsaved: taskStrings.unsaved,
    saving: taskStrings.saving,
    failed: taskStrings.notSaved,
  }
  const isRestored = drafts.some(({ wasRestored }) => wasRestored)
  return (
    <output
      data-saved={phase}
      title={isRestored ? taskStrings.restored : undefined}
      className={`text-small ${phase === 'failed' ? 'text-stop' : 'text-mute'}`}
    >
      {words[phase]}
    </output>
  )
}
