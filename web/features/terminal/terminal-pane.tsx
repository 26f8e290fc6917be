import { Search } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { TerminalWindow } from '../../../src/contract/terminal.ts'
import { createStore, useStore } from '../../store.ts'
import { terminalStrings as words } from '../../strings/terminal.ts'
import { announce } from '../../ui/announce.tsx'
import { IconButton } from '../../ui/button.tsx'
import { toast } from '../../ui/toast.tsx'
import { FindBar } from './find-bar.tsx'
import { openHands } from './hands.ts'
import type { Hands } from './hands.ts'
import { PasteWindow } from './paste-window.tsx'
import type { Pasted } from './paste.ts'
import { askTerminal, refusalIn } from './terminal-api.ts'
import { TerminalFacts, isSmaller } from './terminal-facts.tsx'
import { TerminalMenu } from './terminal-menu.tsx'
import { TerminalNotice } from './terminal-notice.tsx'
import { nothingYet } from './terminal-window.ts'
import type { Shown } from './terminal-window.ts'
import { TouchKeys } from './touch-keys.tsx'

export interface Props {
  /** A session's window, or a shell in a workspace. */
  of: { sessionId: string } | { workspaceId: string }
  window: TerminalWindow
  /** Stands first in the line above the screen. */
  tabs?: ReactNode
  /** Says why one cannot type, where it was not asked for so. */
  whyReadOnly?: string
  /** It ended by itself: whatever is known of it may be old. */
  onEnded?: () => void
}

const focusFirstOf = (bar: HTMLElement | null) =>
  bar?.querySelector<HTMLElement>('a, button:not(:disabled)')?.focus()

/** One window of a terminal, with everything around it. Of another window it is another one (`key`). */
export default function TerminalPane({ of, window, tabs, whyReadOnly, onEnded }: Props) {
  const hint = useId()
  const place = useRef<HTMLDivElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  const [store] = useState(() => createStore<Shown>(nothingYet))
  const shown = useStore(store)
  const [hands, setHands] = useState<Hands | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [isWatching, setWatching] = useState(false)
  const [isFinding, setFinding] = useState(false)
  const [pasted, setPasted] = useState<Pasted | null>(null)
  const isWatched = useRef(isWatching)
  const source = JSON.stringify(of)

  useEffect(() => {
    let isGone = false
    let opened: Hands | undefined
    const element = place.current
    if (!element) return
    store.set(nothingYet)
    const opening = openHands({
      place: element,
      label: words.label[window],
      shown: store,
      ask: () => askTerminal({ ...JSON.parse(source), window, readOnly: isWatched.current }),
      refusalIn,
      isReadOnlyAsked: () => isWatched.current,
      onPaste: setPasted,
      onRefused: () => toast(words.notRead, { isProblem: true }),
      onCopied: (isCopied) =>
        isCopied ? announce(words.copied) : toast(words.notCopied, { isProblem: true }),
      onFind: () => setFinding(true),
      onLeave: () => focusFirstOf(bar.current),
    })
    const take = (all: Hands) => {
      if (isGone) return all.close()
      opened = all
      all.screen.terminal.textarea?.setAttribute('aria-describedby', hint)
      return setHands(all)
    }
    opening.then(take, (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
    return () => {
      isGone = true
      opened?.close()
      setHands(null)
    }
  }, [source, window, store, hint])

  const isEnded = shown.link.name === 'ended'
  useEffect(() => {
    if (isEnded) onEnded?.()
  }, [isEnded, onEnded])

  const mayType = shown.link.name === 'live' && !shown.readOnly
  useEffect(() => {
    const isFree = document.activeElement === document.body || bar.current?.contains(document.activeElement)
    if (mayType && isFree && !matchMedia('(pointer: coarse)').matches) hands?.screen.terminal.focus()
  }, [mayType, hands])

  const pasteFromClipboard = async () => {
    try {
      hands?.paste(await navigator.clipboard.readText())
    } catch {
      toast(words.notPasted, { isProblem: true })
    }
  }
  const watch = (wanted: boolean) => {
    isWatched.current = wanted
    setWatching(wanted)
    hands?.window.again()
  }
  const stopPasting = () => {
    const left = hands?.window.outgoing.drop() ?? 0
    if (left > 0) toast(words.pastingStopped(left.toLocaleString('en')))
  }
  const closeFind = () => {
    setFinding(false)
    hands?.screen.terminal.focus()
  }
  return (
    <div data-terminal={shown.link.name} className="relative flex min-h-0 grow flex-col">
      <div
        ref={bar}
        className="flex h-10 shrink-0 items-center gap-3 border-b border-line px-5.5 max-sm:h-12 max-sm:px-4"
      >
        {tabs}
        <TerminalFacts shown={shown} why={isWatching ? words.watching : whyReadOnly} />
        <TerminalNotice shown={shown} onAgain={() => hands?.window.again()} onStopPasting={stopPasting} />
        <span className="ms-auto flex shrink-0 items-center gap-1">
          <IconButton label={words.find} disabled={!hands} onClick={() => setFinding(true)}>
            <Search size={14} aria-hidden />
          </IconButton>
          <TerminalMenu
            onCopy={() => hands?.copy()}
            onPaste={() => void pasteFromClipboard()}
            isWatching={isWatching}
            onWatch={watch}
            onLeave={() => focusFirstOf(bar.current)}
          />
        </span>
      </div>
      <div className="relative flex min-h-0 grow bg-panel">
        <div className="terminal-frame">
          <div ref={place} className="terminal-place" data-smaller={isSmaller(shown) || undefined} />
        </div>
        <p id={hint} className="sr-only">
          {words.leaveHint}
        </p>
        {shown.link.name === 'opening' && !problem && (
          <output className="absolute inset-x-0 top-0 animate-appear-late px-5.5 py-2 text-mute">
            {words.opening}
          </output>
        )}
        {problem && (
          <p role="alert" className="absolute inset-x-0 top-0 px-5.5 py-2 text-stop">
            {words.failed}: {problem}
          </p>
        )}
        {isFinding && hands && <FindBar screen={hands.screen} onClose={closeFind} />}
      </div>
      {hands && mayType && <TouchKeys hands={hands} onPaste={() => void pasteFromClipboard()} />}
      {pasted && hands && (
        <PasteWindow
          pasted={pasted}
          isBracketed={hands.screen.terminal.modes.bracketedPasteMode}
          onPaste={hands.pasteSeen}
          onClose={() => setPasted(null)}
        />
      )}
    </div>
  )
}
