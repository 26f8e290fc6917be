import type { Store } from '../../store.ts'

/** While Control is held, the next key is what it is together with Control, and Control is let go. */
export function heldControl(held: Store<boolean>): (typed: string) => string {
  return (typed) => {
    if (!held.get() || typed.length !== 1) return typed
    held.set(false)
    const code = typed.toUpperCase().charCodeAt(0)
    if (typed === ' ') return '\u0000'
    return code >= 64 && code <= 95 ? String.fromCharCode(code - 64) : typed
  }
}
