/** Lets so many in at the same time; the others wait for their turn. Nobody holds a place for longer than `longestMs`. */
export interface Gate {
  /** Resolves with what gives the place back. */
  enter: () => Promise<() => void>
}

export function openGate(places: number, longestMs: number): Gate {
  const waiting: (() => void)[] = []
  let free = places
  return {
    async enter() {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      let isInside = true
      const leave = () => {
        if (!isInside) return
        isInside = false
        clearTimeout(late)
        const next = waiting.shift()
        if (next) next()
        else free += 1
      }
      const late = setTimeout(leave, longestMs).unref()
      return leave
    },
  }
}
