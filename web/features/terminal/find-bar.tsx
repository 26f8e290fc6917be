import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { terminalStrings as words } from '../../strings/terminal.ts'
import { IconButton } from '../../ui/button.tsx'
import { findColours } from './colours.ts'
import type { Screen } from './screen.ts'

interface Props {
  screen: Screen
  onClose: () => void
}

/** Finds words in what a terminal shows and has shown, from the newest to the oldest. */
export function FindBar({ screen, onClose }: Props) {
  const { search, terminal } = screen
  const [text, setText] = useState('')
  const [found, setFound] = useState({ resultIndex: -1, resultCount: 0 })
  useEffect(() => {
    const listening = search.onDidChangeResults(setFound)
    return () => {
      listening.dispose()
      search.clearDecorations()
      terminal.clearSelection()
    }
  }, [search, terminal])
  const find = (wanted: string, way: 'next' | 'previous', isTyping = false) => {
    if (wanted === '') return search.clearDecorations()
    const decorations = terminal.element ? findColours(terminal.element) : undefined
    const options = { incremental: isTyping, ...(decorations && { decorations }) }
    if (way === 'next') search.findNext(wanted, options)
    else search.findPrevious(wanted, options)
  }
  const { resultIndex, resultCount } = found
  return (
    <search className="absolute end-4 top-2 z-10 flex items-center gap-1 rounded-control border border-edge bg-panel px-1.5 py-1 shadow-float">
      <input
        ref={(field) => field?.focus()}
        type="text"
        value={text}
        aria-label={words.find}
        placeholder={words.findHint}
        className="w-44 min-w-0 bg-transparent px-1.5 outline-none max-sm:text-[16px]"
        onChange={(event) => {
          setText(event.target.value)
          find(event.target.value, 'previous', true)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find(text, event.shiftKey ? 'next' : 'previous')
          if (event.key !== 'Escape') return
          event.preventDefault()
          onClose()
        }}
      />
      <output className="min-w-12 text-end text-small whitespace-nowrap text-mute tabular-nums">
        {text !== '' &&
          (resultCount === 0
            ? words.foundNone
            : resultIndex < 0
              ? words.foundMany(resultCount)
              : words.found(resultIndex + 1, resultCount))}
      </output>
      <IconButton label={words.findPrevious} onClick={() => find(text, 'previous')}>
        <ChevronUp size={14} aria-hidden />
      </IconButton>
      <IconButton label={words.findNext} onClick={() => find(text, 'next')}>
        <ChevronDown size={14} aria-hidden />
      </IconButton>
      <IconButton label={words.findClose} onClick={onClose}>
        <X size={14} aria-hidden />
      </IconButton>
    </search>
  )
}
