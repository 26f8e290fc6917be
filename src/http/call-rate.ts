/** How often something may be done within a minute, counted for each key. */
export interface CallRate {
  /** Counts one more. Answers with the seconds to wait when that is one too many, which is not counted; else with nothing. */
  take(key: string): number | undefined
}

interface Counted {
  /** How many there were in each of the last seconds, by the second modulo their number. */
  seconds: Uint16Array
  total: number
  latest: number
}

/** A minute that begins anywhere touches this many seconds. */
const touched = 61

export function openCallRate({
  perMinute,
  keys = 10_000,
  now = Date.now,
}: {
  perMinute: number
  keys?: number
  now?: () => number
}): CallRate {
  const counts = new Map<string, Counted>()
  return {
    take(key) {
      const second = Math.floor(now() / 1000)
      const counted = counts.get(key) ?? { seconds: new Uint16Array(touched), total: 0, latest: second }
      // Set anew, so that the one forgotten first is the one that has been quiet longest.
      counts.delete(key)
      counts.set(key, counted)
      if (counts.size > keys) for (const oldest of counts.keys().take(1)) counts.delete(oldest)
      moveTo(counted, second)
      if (counted.total >= perMinute) return secondsUntilOneIsOver(counted)
      counted.seconds[second % touched]! += 1
      counted.total += 1
      return undefined
    },
  }
}

function moveTo(counted: Counted, second: number): void {
  const passed = Math.min(second - counted.latest, touched)
  for (let step = 1; step <= passed; step++) {
    const place = (second - passed + step) % touched
    counted.total -= counted.seconds[place]!
    counted.seconds[place] = 0
  }
  counted.latest = Math.max(counted.latest, second)
}

function secondsUntilOneIsOver({ seconds, latest }: Counted): number {
  for (let wait = 1; wait < touched; wait++) if (seconds[(latest + wait) % touched]! > 0) return wait
  return touched
}
