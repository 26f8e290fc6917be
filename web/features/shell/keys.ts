import { useEffect, useRef } from 'react'
import { areKeysHeld } from './hold-keys.ts'

/** Keys by name: `n`, `?`, `mod+k`, or two in a row: `g b`. */
export type Keys = Record<string, () => void>

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** A window or menu has the keyboard for itself. */
const isCovered = () => document.querySelector('[role=menu], [role=dialog][data-state=open]') !== null

/** How long a first key waits for its second. */
const pairMs = 1500

/**
 * Listens for keys as long as the component is shown. Only chords with mod work while someone types. Those that come
 * first take a key from all others: n refuses what is asked, and does not make a new task of it.
 */
export function useKeys(keys: Keys, { comesFirst = false } = {}): void {
  const current = useRef(keys)
  useEffect(() => {
    current.current = keys
  })
  useEffect(() => {
    let first = ''
    let firstAt = 0
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return
      const isChord = event.metaKey || event.ctrlKey
      if (!isChord && (isTyping(event.target) || isCovered() || areKeysHeld())) return
      const name = isChord ? `mod+${event.key.toLowerCase()}` : event.key
      const isSecond = !isChord && first === 'g' && event.timeStamp - firstAt < pairMs
      const act = isSecond ? current.current[`${first} ${name}`] : current.current[name]
      first = name
      firstAt = event.timeStamp
      if (!act) return
      event.preventDefault()
      first = ''
      act()
    }
    window.addEventListener('keydown', press, { capture: comesFirst })
    return () => window.removeEventListener('keydown', press, { capture: comesFirst })
  }, [comesFirst])
}
