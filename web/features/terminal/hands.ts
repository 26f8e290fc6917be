import type { TerminalToken } from '../../../src/contract/terminal.ts'
import { createStore } from '../../store.ts'
import type { Store } from '../../store.ts'
import { heldControl } from './held-control.ts'
import type { LinkOptions } from './link.ts'
import { lookAtPaste, needsAsking, typedPaste } from './paste.ts'
import type { Pasted } from './paste.ts'
import { copyOnSelect } from './preferences.ts'
import { openScreen } from './screen.ts'
import type { Screen } from './screen.ts'
import { openTerminalWindow } from './terminal-window.ts'
import type { Shown, TerminalWindow } from './terminal-window.ts'

/** What can be done with a terminal on the page. */
export interface Hands {
  screen: Screen
  window: TerminalWindow
  /** Control is held for the next key: there is no such key on a touch screen. */
  control: Store<boolean>
  /** As if it was typed. */
  press: (keys: string) => void
  /** Asks first where it has to. */
  paste: (text: string) => void
  /** Somebody has seen it. */
  pasteSeen: (text: string) => void
  copy: () => void
  close: () => void
}

interface Needs {
  place: HTMLElement
  label: string
  shown: Store<Shown>
  ask: () => Promise<TerminalToken>
  refusalIn: LinkOptions['refusalIn']
  isReadOnlyAsked: () => boolean
  onPaste: (pasted: Pasted) => void
  onRefused: () => void
  onCopied: (isCopied: boolean) => void
  onFind: () => void
  onLeave: () => void
}

export async function openHands(needs: Needs): Promise<Hands> {
  const { place, label, shown, ask, refusalIn, isReadOnlyAsked, onRefused, onPaste, onCopied } = needs
  const screen = await openScreen(place, label)
  const { terminal } = screen
  const control = createStore(false)
  const window = openTerminalWindow({
    screen,
    shown,
    ask,
    refusalIn,
    isReadOnlyAsked,
    onRefused,
    typed: heldControl(control),
  })

  const pasteSeen = (text: string) => {
    if (!terminal.options.disableStdin)
      window.outgoing.put(typedPaste(text, terminal.modes.bracketedPasteMode))
    terminal.focus()
  }
  const paste = (text: string) => {
    if (text === '' || terminal.options.disableStdin) return
    const pasted = lookAtPaste(text)
    if (needsAsking(pasted)) onPaste(pasted)
    else pasteSeen(text)
  }
  const copy = () => void copySelected(screen).then(onCopied)
  const stops = [
    guardPaste(place, paste),
    copyWhatIsSelected(screen, place, copy),
    watchSize(place, window.fit),
  ]
  takeKeys(screen, { ...needs, copy })
  return {
    screen,
    window,
    control,
    press: (keys) => terminal.input(keys),
    paste,
    pasteSeen,
    copy,
    close: () => {
      for (const stop of stops) stop()
      window.close()
      screen.dispose()
    },
  }
}

/** Comes before xterm.js, which would pass on whatever is pasted. */
function guardPaste(place: HTMLElement, paste: (text: string) => void): () => void {
  const take = (event: ClipboardEvent) => {
    event.preventDefault()
    event.stopPropagation()
    paste(event.clipboardData?.getData('text/plain') ?? '')
  }
  place.addEventListener('paste', take, { capture: true })
  return () => place.removeEventListener('paste', take, { capture: true })
}

/** Once the mouse is let go, and only what it selected: a search selects too. */
function copyWhatIsSelected({ terminal }: Screen, place: HTMLElement, copy: () => void): () => void {
  let isSelecting = false
  const begin = () => (isSelecting = true)
  const end = () => {
    if (isSelecting && copyOnSelect.get() && terminal.hasSelection()) copy()
    isSelecting = false
  }
  place.addEventListener('mousedown', begin, { capture: true })
  document.addEventListener('mouseup', end)
  return () => {
    place.removeEventListener('mousedown', begin, { capture: true })
    document.removeEventListener('mouseup', end)
  }
}

/** Without https a page has no clipboard to write to: then xterm.js answers the browser's own command. */
async function copySelected({ terminal }: Screen): Promise<boolean> {
  const text = terminal.getSelection()
  if (text === '') return false
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    terminal.focus()
    return document.execCommand('copy')
  }
}

function watchSize(place: HTMLElement, fit: () => void): () => void {
  const watching = new ResizeObserver(fit)
  watching.observe(place)
  return () => watching.disconnect()
}

const isMac = navigator.platform.startsWith('Mac')

/** The few keys that are ours; all others are the program's. */
function takeKeys(
  { terminal }: Screen,
  acts: Pick<Needs, 'onFind' | 'onLeave'> & { copy: () => void },
): void {
  const keys: Record<string, () => void> = {
    F: acts.onFind,
    C: acts.copy,
    Enter: acts.onLeave,
  }
  terminal.attachCustomKeyEventHandler((event) => {
    const isOurs = event.ctrlKey && event.shiftKey && !event.altKey && !event.metaKey
    const isFind = isMac && event.metaKey && event.key === 'f'
    const act = isFind ? acts.onFind : isOurs ? keys[event.key] : undefined
    if (!act) return true
    event.preventDefault()
    if (event.type === 'keydown') act()
    return false
  })
}
