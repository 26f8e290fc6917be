import { useEffect, useRef } from 'react'

/** Keys by name: `n`, `?`, `mod+k`, or two in a row: `g b`. */
export type Keys = Record<string, () => void>

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** A window or menu has the keyboard for itself. */
const isCovered = () => document.querySelector('[role=menu], [role=dialog][data-state=open]') !== null

/** Listens for keys as long as the component is shown. Only chords with mod work while someone types. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  useEffect(() => {
    current.current = keys
  })
  useEffect(() => {
    let first = ''
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return
      const isChord = event.metaKey || event.ctrlKey
      if (!isChord && (isTyping(event.target) || isCovered())) return
      const name = isChord ? `mod+${event.key.toLowerCase()}` : event.key
      const act = current.current[`${first} ${name}`] ?? current.current[name]
      first = name
      if (!act) return
      event.preventDefault()
      first = ''
      act()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}
