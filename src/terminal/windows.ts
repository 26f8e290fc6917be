import type { Size } from './port.ts'

/** Whoever looks at a window. */
export interface Onlooker {
  /** How large it is shown there; none until that was said. */
  readonly room: Size | undefined
  readonly readOnly: boolean
  /** How large the window is for all, and how many look at it. */
  know(window: Size & { viewers: number }): void
}

/** Which viewers look at the same, and how large that is. */
export interface Windows {
  join(key: string, onlooker: Onlooker): Size & { viewers: number }
  leave(key: string, onlooker: Onlooker): void
  /** Somebody there shows it in another size. Many in a row are told as one. */
  resized(key: string): void
  count(key: string): number
}

const usual = { cols: 80, rows: 24 }
/** Somebody drags the edge of a window, or a script means harm. */
const settleMs = 40

export function openWindows(): Windows {
  const all = new Map<string, Set<Onlooker>>()
  const settling = new Map<string, NodeJS.Timeout>()

  /** As large as the smallest who types; where nobody does, as the smallest who looks. */
  function stateOf(key: string): Size & { viewers: number } {
    const there = [...(all.get(key) ?? [])]
    const typing = there.filter(({ readOnly }) => !readOnly)
    const rooms = (typing.length > 0 ? typing : there).flatMap(({ room }) => room ?? [])
    const size =
      rooms.length === 0
        ? usual
        : {
            cols: Math.min(...rooms.map(({ cols }) => cols)),
            rows: Math.min(...rooms.map(({ rows }) => rows)),
          }
    return { ...size, viewers: there.length }
  }

  function tellAll(key: string, except?: Onlooker): void {
    clearTimeout(settling.get(key))
    settling.delete(key)
    const state = stateOf(key)
    for (const onlooker of all.get(key) ?? []) if (onlooker !== except) onlooker.know(state)
  }

  return {
    join(key, onlooker) {
      const there = all.get(key) ?? new Set()
      all.set(key, there.add(onlooker))
      tellAll(key, onlooker)
      return stateOf(key)
    },
    leave(key, onlooker) {
      const there = all.get(key)
      if (!there?.delete(onlooker)) return
      if (there.size > 0) return tellAll(key)
      all.delete(key)
      clearTimeout(settling.get(key))
      settling.delete(key)
    },
    resized(key) {
      if (!settling.has(key))
        settling.set(
          key,
          setTimeout(() => tellAll(key), settleMs),
        )
    },
    count: (key) => all.get(key)?.size ?? 0,
  }
}
