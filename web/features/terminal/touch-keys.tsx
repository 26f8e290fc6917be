import { ClipboardPaste } from 'lucide-react'
import { useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { useStore } from '../../store.ts'
import { terminalStrings } from '../../strings/terminal.ts'
import type { Hands } from './hands.ts'

const words = terminalStrings.keys
const touch = matchMedia('(pointer: coarse)')
const watch = (listener: () => void) => {
  touch.addEventListener('change', listener)
  return () => touch.removeEventListener('change', listener)
}

/** Arrows say something else to a program that has asked for it. */
const arrow = (hands: Hands, letter: string) =>
  hands.press(`\u001b${hands.screen.terminal.modes.applicationCursorKeysMode ? 'O' : '['}${letter}`)

/** The keys that a touch screen does not have. */
export function TouchKeys({ hands, onPaste }: { hands: Hands; onPaste: () => void }) {
  const isTouch = useSyncExternalStore(watch, () => touch.matches)
  const isHeld = useStore(hands.control)
  if (!isTouch) return null
  const press = (keys: string) => () => hands.press(keys)
  const keys: [face: ReactNode, label: string, act: () => void][] = [
    [words.esc, words.esc, press('\u001b')],
    [words.tab, words.tab, press('\t')],
    [words.ctrl, words.ctrlHint, () => hands.control.set(!isHeld)],
    ['←', words.left, () => arrow(hands, 'D')],
    ['↑', words.up, () => arrow(hands, 'A')],
    ['↓', words.down, () => arrow(hands, 'B')],
    ['→', words.right, () => arrow(hands, 'C')],
    ['|', '|', press('|')],
    ['~', '~', press('~')],
    ['/', '/', press('/')],
    [<ClipboardPaste key="paste" size={15} aria-hidden />, words.paste, onPaste],
  ]
  return (
    <div role="toolbar" aria-label={words.label} className="terminal-keys">
      {keys.map(([face, label, act]) => (
        <button
          key={label}
          type="button"
          aria-label={label}
          {...(face === words.ctrl && { 'aria-pressed': isHeld })}
          // The keyboard of the screen stays where it is.
          onPointerDown={(event) => event.preventDefault()}
          onClick={act}
        >
          {face}
        </button>
      ))}
    </div>
  )
}
