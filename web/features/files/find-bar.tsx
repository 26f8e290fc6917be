import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { filesStrings as words } from '../../strings/files.ts'
import { IconButton } from '../../ui/button.tsx'

interface Props {
  text: string
  at: number
  total: number
  onText: (text: string) => void
  onStep: (by: 1 | -1) => void
  onClose: () => void
}

/** Looking for something in an open file. */
export function FindBar({ text, at, total, onText, onStep, onClose }: Props) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <search className="flex h-10 shrink-0 items-center gap-1 border-b border-line bg-panel ps-4 pe-2">
      <input
        ref={field}
        value={text}
        maxLength={500}
        aria-label={words.find}
        placeholder={words.findHint}
        className="h-full min-w-0 grow bg-transparent outline-none max-sm:text-[16px]"
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
          if (event.key === 'Escape') onClose()
        }}
      />
      <output className="shrink-0 text-small text-mute tabular-nums">
        {text !== '' && (total === 0 ? words.findNone : words.findAt(at, total))}
      </output>
      <IconButton label={words.findPrevious} disabled={total === 0} onClick={() => onStep(-1)}>
        <ChevronUp size={14} aria-hidden />
      </IconButton>
      <IconButton label={words.findNext} disabled={total === 0} onClick={() => onStep(1)}>
        <ChevronDown size={14} aria-hidden />
      </IconButton>
      <IconButton label={words.findClose} onClick={onClose}>
        <X size={14} aria-hidden />
      </IconButton>
    </search>
  )
}
